import { closeSync, openSync, readSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { DatabaseLockedError, FileUnreadableError } from '../errors/index.ts';
import { readStateFile } from '../util/files.ts';
import { DatabaseLock, type LockHolder } from './database-lock.ts';
import { draftPath, isSwapPending } from './swap-files.ts';

/** Which database a memory's file is. */
export type FileKind = 'kuzu' | 'sqlite';

/** How a SQLite file begins. */
const SQLITE_HEADER = 'SQLite format 3\0';
/** How a Kùzu file begins. */
const KUZU_HEADER = 'KUZU';
/** A new file with such an ending becomes a SQLite file. */
const SQLITE_ENDING = /\.sqlite3?$/i;

/** The kind of a memory's file by its first bytes; of one that is missing, empty or damaged, by its ending. */
export function kindOfFile(path: string): FileKind {
  const replacement = draftPath(path);
  const start = (isSwapPending(path) ? startOf(replacement) : '') || startOf(path);
  if (start === SQLITE_HEADER) return 'sqlite';
  if (start.startsWith(KUZU_HEADER)) return 'kuzu';
  return SQLITE_ENDING.test(path) ? 'sqlite' : 'kuzu';
}

/** The first bytes of a file; empty if there is none. */
function startOf(path: string): string {
  const bytes = Buffer.alloc(SQLITE_HEADER.length);
  try {
    const file = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/**
 * The name under which `DatabaseLock` locks a SQLite file: SQLite's own lock here is a folder `<path>.lock`, which a
 * killed process never removes.
 */
const sqliteLockName = (path: string): string => `${path}.owner`;

/** The process that has a memory's file open; null if none has. */
export async function holderOfFile(path: string): Promise<LockHolder | null> {
  const owner = await DatabaseLock.holder(sqliteLockName(path));
  return owner ?? (kindOfFile(path) === 'sqlite' ? null : DatabaseLock.holder(path));
}

/**
 * Makes one object of one process the only user of a SQLite file.
 *
 * @throws DatabaseLockedError, FolderNotWritableError
 */
export async function lockSqlite(path: string): Promise<DatabaseLock> {
  let lock: DatabaseLock;
  try {
    lock = await DatabaseLock.acquire(sqliteLockName(path));
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
    throw new DatabaseLockedError(path, holderIn(`${sqliteLockName(path)}.lock`), error);
  }
  try {
    rmdirSync(`${path}.lock`); // SQLite's own lock, left by a killed process
  } catch {
    // There is none, or it is the lock of a Kùzu file.
  }
  return lock;
}

const holderSchema = z.object({ pid: z.number() });

function holderIn(lock: string): string {
  const holder = readStateFile(lock, holderSchema);
  if (holder === null) return `another process; if there certainly is none, delete ${lock}`;
  const who = holder.pid === process.pid ? 'this process' : 'the process';
  return `${who} with pid ${holder.pid}; if it certainly no longer runs, delete ${lock}`;
}

/** Locks a memory's file against every process, whatever its kind is and becomes. @throws DatabaseLockedError */
export async function lockFile(path: string): Promise<{ release(): Promise<void> }> {
  const owner = await lockSqlite(path);
  try {
    const lock = await DatabaseLock.acquire(path);
    return {
      release: async () => {
        await lock.release();
        await owner.release();
      },
    };
  } catch (error) {
    await owner.release();
    throw error;
  }
}

/** One name per file, so that two paths to it share one lock. @throws FileUnreadableError if its folder is missing. */
export function realPath(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    try {
      return join(realpathSync(dirname(full)), basename(full));
    } catch (error) {
      throw new FileUnreadableError(path, `its folder ${dirname(full)} does not exist`, error);
    }
  }
}
