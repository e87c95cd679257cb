import { SchemaTooNewError } from '../../errors/index.ts';
import { convertVersion1 } from './convert-version-1.ts';
import type { SqliteFile } from './sqlite-file.ts';

const SCHEMA_VERSION = 2;

const TABLES = [
  'CREATE TABLE checkpoint_thread (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)',
  // `id` keeps insertion order; a replaced row keeps its position. `leans` is a `Leaning`. `parents` and `channels` are
  // JSON (`Parents`, `Channels`); where `channels` is null, `value` has the values of the channels.
  `CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    parent TEXT,
    leans INTEGER NOT NULL,
    parents TEXT,
    channels TEXT,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata BLOB NOT NULL,
    UNIQUE (thread, namespace, checkpoint)
  )`,
  // `place` keeps insertion order within a checkpoint; `value` refers to a blob.
  `CREATE TABLE checkpoint_write (
    thread INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task TEXT NOT NULL,
    position INTEGER NOT NULL,
    place INTEGER NOT NULL,
    channel TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task, position)
  ) WITHOUT ROWID`,
  // A null type is a node of a list (`CheckpointBlobs`).
  `CREATE TABLE checkpoint_blob (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    hash BLOB NOT NULL,
    type TEXT,
    value BLOB NOT NULL,
    UNIQUE (thread, hash)
  )`,
];

interface SchemaOptions {
  /** Whether values are LangGraph's JSON: only then can those of version 1 be divided, to store each once. */
  readonly isJson: boolean;
}

/**
 * Creates missing tables, and converts those of version 1 in one transaction; the file may also contain others.
 * @throws SchemaTooNewError
 */
export function prepareSchema(file: SqliteFile, { isJson }: SchemaOptions): void {
  file.transaction(() => {
    const version = versionOf(file);
    if (version > SCHEMA_VERSION) throw new SchemaTooNewError(file.path, version, SCHEMA_VERSION);
    if (version === SCHEMA_VERSION) return;
    const createTables = () => {
      for (const table of TABLES) file.run(table);
    };
    if (version === 1) convertVersion1(file, { isJson, createTables });
    else {
      createTables();
      file.run('CREATE TABLE checkpoint_schema (version INTEGER NOT NULL)');
    }
    file.run('DELETE FROM checkpoint_schema');
    file.run('INSERT INTO checkpoint_schema VALUES (?)', [SCHEMA_VERSION]);
  });
  // A file of version 1 or of another program, which does not shrink otherwise.
  const [setting] = file.all('PRAGMA auto_vacuum');
  if (setting?.auto_vacuum === 0) file.compact();
}

/** 0 without tables of checkpoints. */
function versionOf(file: SqliteFile): number {
  const isKnown = file.all("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoint_schema'").length > 0;
  return isKnown ? Number(file.all('SELECT version FROM checkpoint_schema')[0]?.version) : 0;
}
