import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FileUnreadableError } from '../errors/index.ts';
import { DatabaseLock, type LockHolder } from './database-lock.ts';
import { draftPath, isSwapPending } from './swap-files.ts';

/** Which database a memory's file is. */
export type FileKind = 'kuzu' | 'sqlite';

/** How a SQLite file begins. */
const SQLITE_HEADER = 'SQLite format 3\0';
/** A new file with such an ending becomes a SQLite file. */
const SQLITE_ENDING = /\.sqlite3?$/i;

/** The kind of a memory's file; of one that does not exist yet, or is empty, by its ending. */
export function kindOfFile(path: string): FileKind {
  const replacement = draftPath(path);
  const start = (isSwapPending(path) ? startOf(replacement) : '') || startOf(path);
  if (start !== '') return start === SQLITE_HEADER ? 'sqlite' : 'kuzu';
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
export const sqliteLockName = (path: string): string => `${path}.owner`;

/** The process that has a memory's file open; null if none has. */
export async function holderOfFile(path: string): Promise<LockHolder | null> {
  return (await DatabaseLock.holder(path)) ?? (await DatabaseLock.holder(sqliteLockName(path)));
}

/** Locks a memory's file against every process, whatever its kind is and becomes. @throws DatabaseLockedError */
export async function lockFile(path: string): Promise<{ release(): Promise<void> }> {
  const lock = await DatabaseLock.acquire(path);
  try {
    const owner = await DatabaseLock.acquire(sqliteLockName(path));
    return {
      release: async () => {
        await owner.release();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
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
