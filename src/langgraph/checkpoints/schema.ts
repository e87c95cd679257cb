import { SchemaTooNewError } from '../../errors/index.ts';
import type { SqliteFile } from './sqlite-file.ts';

export const SCHEMA_VERSION = 1;

/** `id` keeps the order in which rows came; a replaced row keeps its place. */
const TABLES = [
  `CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    parent TEXT,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata BLOB NOT NULL,
    UNIQUE (thread, namespace, checkpoint)
  )`,
  `CREATE TABLE checkpoint_write (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task TEXT NOT NULL,
    position INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (thread, namespace, checkpoint, task, position)
  )`,
  'CREATE TABLE checkpoint_schema (version INTEGER NOT NULL)',
];

/** Makes the tables in a file that lacks them; others may stand beside them. @throws SchemaTooNewError */
export function prepareSchema(file: SqliteFile): void {
  file.transaction(() => {
    const known = file.all("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoint_schema'").length > 0;
    if (!known) {
      for (const table of TABLES) file.run(table);
      file.run('INSERT INTO checkpoint_schema VALUES (?)', [SCHEMA_VERSION]);
      return;
    }
    const version = Number(file.all('SELECT version FROM checkpoint_schema')[0]?.version);
    if (version > SCHEMA_VERSION) throw new SchemaTooNewError(file.path, version, SCHEMA_VERSION);
  });
}
