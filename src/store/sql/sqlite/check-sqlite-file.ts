import { type Stats, statSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { DatabaseCorruptError, SchemaTooNewError } from '../../../errors/index.ts';
import { readPragma, type SqliteConnection } from '../../../util/sqlite-file.ts';
import { refuseLost } from '../../memory-file.ts';
import { SCHEMA_VERSION } from '../../schema.ts';

/** Marks a SQLite file as a memory: "Mnem". */
export const APPLICATION_ID = 0x4d6e656d;

const FIRST_PAGE = 4096;

/**
 * Refuses a damaged file, one of another program and one of a newer version. It is opened for reading, because SQLite
 * writes to a file and its log even when it closes them.
 *
 * @throws DatabaseCorruptError, SchemaTooNewError, and what SQLite throws: the files are unchanged.
 */
export function checkSqliteFile(path: string): void {
  const [file, log] = [statOf(path), statOf(`${path}-wal`)];
  const logBytes = log?.size ?? 0;
  if (file !== undefined && !file.isFile()) throw new DatabaseCorruptError(path, 'it is not a file');
  if (file === undefined || file.size === 0) {
    refuseLost(path, file === undefined ? 'missing' : 'empty');
    if (logBytes === 0) return;
    // SQLite would delete the log.
    throw new DatabaseCorruptError(
      path,
      `its log ${path}-wal is there, but the file itself is missing or empty`,
    );
  }
  if ((statOf(`${path}-journal`)?.size ?? 0) > 0) {
    // Only the first page of a memory is written with a journal. Another program may be at work: SQLite would undo it.
    if (file.size <= FIRST_PAGE) return;
    throw new DatabaseCorruptError(
      path,
      `another SQLite program has not finished a write, see ${path}-journal`,
    );
  }
  const connection = new sqlite.Database(path, { readOnly: true });
  try {
    connection.all('PRAGMA locking_mode = EXCLUSIVE');
    checkOrigin(connection, path);
    if (logBytes > 0) checkPages(connection, path);
    // SQLite takes a part of the last page for the whole.
    else if (file.size % readPragma(connection, 'page_size') > 0)
      throw new DatabaseCorruptError(path, 'its end is missing');
  } finally {
    connection.close();
  }
}

/** Refuses a file of another program and one of a newer version. */
export function checkOrigin(connection: SqliteConnection, path: string): void {
  if (!isNew(connection) && readPragma(connection, 'application_id') !== APPLICATION_ID)
    throw new DatabaseCorruptError(path, 'it is an SQLite database, not a Mnemis database');
  const version = readPragma(connection, 'user_version');
  if (version > SCHEMA_VERSION) throw new SchemaTooNewError(path, version, SCHEMA_VERSION);
}

/** Whether nothing was written yet, also if a process was killed while it created the file. */
function isNew(connection: SqliteConnection): boolean {
  if (readPragma(connection, 'page_count') === 0) return true;
  const isEmpty = readPragma(connection, 'schema_version') === 0;
  return (
    isEmpty && readPragma(connection, 'application_id') === 0 && readPragma(connection, 'auto_vacuum') > 0
  );
}

/**
 * After a process was killed: SQLite itself compares the length of a file with its first page only if there is no log,
 * and it would apply the log of another file, which the indexes then do not fit. Takes 0.5 s for 10,000 turns.
 */
function checkPages(connection: SqliteConnection, path: string): void {
  const [finding] = connection.all('PRAGMA integrity_check(1)').map((row) => Object.values(row)[0]);
  if (finding !== 'ok') throw new DatabaseCorruptError(path, 'the file and its log do not fit together');
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
