import type { AppContext } from '../app-context.ts';

/** Made where it is missing, so that a file of an earlier version needs no other change. */
const TABLE = 'CREATE TABLE IF NOT EXISTS known_database (id TEXT PRIMARY KEY) WITHOUT ROWID';

/**
 * Ids of the databases that this memory is or was, because a compaction and a restore replace its database by another
 * one. A backup with such an id is one of this memory.
 */
export function knownDatabases({
  engine,
  store: { file },
}: Pick<AppContext, 'engine' | 'store'>): ReadonlySet<string> {
  file.run(TABLE);
  file.run('INSERT OR IGNORE INTO known_database VALUES (?)', [engine.describe().databaseId]);
  return new Set(file.all('SELECT id FROM known_database').map(({ id }) => String(id)));
}
