import { chmodSync, closeSync, openSync, readFileSync, rmdirSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { z } from 'zod';
import { DatabaseLockedError } from '../../../errors/index.ts';
import { DatabaseLock } from '../../database-lock.ts';
import { sqliteLockName } from '../../memory-file.ts';

export type SqliteConnection = InstanceType<typeof sqlite.Database>;

const holderSchema = z.object({ pid: z.number() });

/**
 * Makes one object of one process the only user of a SQLite file.
 *
 * @throws DatabaseLockedError, FolderNotWritableError
 */
export async function lockSqlite(path: string): Promise<DatabaseLock> {
  const owned = sqliteLockName(path);
  try {
    return await DatabaseLock.acquire(owned);
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
    throw new DatabaseLockedError(path, holderOf(`${owned}.lock`), error);
  }
}

function holderOf(lock: string): string {
  try {
    const { pid } = holderSchema.parse(JSON.parse(readFileSync(lock, 'utf8')));
    const who = pid === process.pid ? 'this process' : 'the process';
    return `${who} with pid ${pid}; if it certainly no longer runs, delete ${lock}`;
  } catch {
    return `another process; if there certainly is none, delete ${lock}`;
  }
}

/**
 * Opens or creates a file (mode 0600) whose lock the caller holds. A commit is on disk when it returns, and deleted
 * data is overwritten.
 */
export function openSqlite(path: string): SqliteConnection {
  removeStaleLock(path);
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new sqlite.Database(path);
  try {
    // Exclusive locking first: without shared memory, a write-ahead log requires it. Then what lets a new file shrink,
    // before the journal mode writes the first page.
    for (const setting of [
      'locking_mode = EXCLUSIVE',
      'auto_vacuum = INCREMENTAL',
      'journal_mode = WAL',
      'synchronous = FULL',
      'secure_delete = ON',
      'temp_store = MEMORY',
    ])
      database.all(`PRAGMA ${setting}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Safe to remove: this process holds the owner lock. */
function removeStaleLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Gives the space of deleted data back, and erases deleted and replaced data from the write-ahead log. */
export function eraseDeleted(database: SqliteConnection): void {
  database.all('PRAGMA incremental_vacuum');
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Files that may hold text of a SQLite file. */
export const sqliteFiles = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-journal`];
