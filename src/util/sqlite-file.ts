import { chmodSync, closeSync, existsSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import sqlite from 'node-sqlite3-wasm';

export type SqliteConnection = InstanceType<typeof sqlite.Database>;

/**
 * Opens or creates a file (mode 0600) whose lock the caller holds. A commit is on disk when it returns, and deleted
 * data is overwritten.
 *
 * @param check Throws for a file that is not to be opened, before anything is written to it.
 */
export function openSqlite(
  path: string,
  check: (database: SqliteConnection) => void = () => undefined,
): SqliteConnection {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new sqlite.Database(path);
  try {
    // Exclusive locking first: without shared memory, a write-ahead log requires it.
    database.all('PRAGMA locking_mode = EXCLUSIVE');
    check(database);
    // What lets a file shrink: before the journal mode writes the first page. Set again, it would write to the file.
    if (readPragma(database, 'page_count') === 0) database.all('PRAGMA auto_vacuum = INCREMENTAL');
    for (const setting of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'secure_delete = ON',
      'temp_store = MEMORY',
    ])
      database.all(`PRAGMA ${setting}`);
    if (existsSync(`${path}.lock`)) chmodSync(`${path}.lock`, 0o700); // SQLite's own lock, held until it is closed
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens an empty database in the memory of the process. */
export function openInMemory(): SqliteConnection {
  const database = new sqlite.Database();
  database.all('PRAGMA temp_store = MEMORY');
  return database;
}

/** The number that a setting or a property of the file has. */
export function readPragma(database: SqliteConnection, name: string): number {
  return Number(Object.values(database.get(`PRAGMA ${name}`) ?? {})[0] ?? 0);
}

/** Gives the space of deleted data back, and erases deleted and replaced data from the write-ahead log. */
export function eraseDeleted(database: SqliteConnection): void {
  database.all('PRAGMA incremental_vacuum');
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Files that may hold text of a SQLite file. `-shm`, which other programs make, holds numbers of pages only. */
export const sqliteFiles = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-journal`];

/** A failed write leaves less than this free if the disk was full: what it had written stays in the log. */
const LITTLE_ROOM = 2 ** 20;

/** Whether there was no room. SQLite's file access here gives no reason for a write that failed. */
export function isDiskFull(path: string, error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error);
  if (/disk is full|ENOSPC|EDQUOT|EFBIG/i.test(message)) return true;
  return /disk I\/O error/i.test(message) && freeBytes(dirname(path)) < LITTLE_ROOM;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
