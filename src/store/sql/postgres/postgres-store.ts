import type { ReadTurnWords } from '../../scope-search.ts';
import { SqlMeta } from '../sql-meta.ts';
import { SqlStore } from '../sql-store.ts';
import { PostgresLargeScopes } from './large-scopes/postgres-large-scopes.ts';
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts';

interface Analysis {
  /** How turns are read for searches in the database. Default: no scope is searched there. */
  readonly readWords?: ReadTurnWords;
}

/**
 * Opens or creates a memory on a Postgres server (12 or newer), which one process at a time can have open.
 *
 * @throws PackageMissingError, DatabaseLockedError, SchemaTooNewError; StoreReadError where the server cannot be reached
 *   or refuses.
 */
export async function openPostgresStore(
  options: PostgresOptions,
  { readWords }: Analysis = {},
): Promise<SqlStore> {
  const database = await PostgresDatabase.open(options);
  try {
    const meta = new SqlMeta(database);
    await meta.load();
    const above = options.searchInDatabaseAbove;
    const largeScopes = await PostgresLargeScopes.prepare(database, { above, readWords });
    return new SqlStore(database, { backend: 'postgres', meta, files: null, largeScopes });
  } catch (error) {
    await database.close();
    throw error;
  }
}
