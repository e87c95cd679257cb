import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseCorruptError, FileUnreadableError } from '../errors/index.ts';
import { DatabaseLock, type LockHolder } from './database-lock.ts';
import { draftPath, isSwapPending } from './swap-files.ts';

/** Which database a memory's file is. */
export type FileKind = 'kuzu' | 'sqlite';

const SQLITE_HEADER = 'SQLite format 3\0';
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

/** Whether a memory's file is at a path, or the log of one whose file is lost. */
export const isMemoryAt = (path: string): boolean => existsSync(path) || existsSync(`${path}.wal`);

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

/** The name under which a memory's file of either kind is locked. `<path>.lock` is a folder that SQLite makes itself. */
const ownerOf = (path: string): string => `${path}.owner`;

/** The process that has a memory's file open; null if none has. */
export async function holderOfFile(path: string): Promise<LockHolder | null> {
  return DatabaseLock.holder(ownerOf(knownPath(path)));
}

/**
 * Makes one object of one process the only user of a memory's file, whatever its kind is and becomes, and of any other
 * SQLite file. Removes what a killed process left at `<path>.lock`: SQLite's folder, or the lock of a former version.
 *
 * @throws DatabaseLockedError, FileUnreadableError for a file with a second name, FolderNotWritableError
 */
export async function lockFile(path: string): Promise<DatabaseLock> {
  const lock = await DatabaseLock.acquire(ownerOf(path), path);
  try {
    refuseSecondName(path);
    if (isFolder(`${path}.lock`)) rmdirSync(`${path}.lock`);
    else await DatabaseLock.removeStale(path);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Refuses to create a memory where one was lost: the indexes beside its file are written when it holds turns.
 *
 * @throws DatabaseCorruptError
 */
export function refuseLost(path: string, state: 'missing' | 'empty'): void {
  const indexes = `${path}.indexes`;
  if (!isFolder(indexes) || readdirSync(indexes).length === 0) return;
  throw new DatabaseCorruptError(
    path,
    `the file is ${state}, but the indexes of its memory are there, in ${indexes}; move them away to start with an empty memory`,
  );
}

/** The log and the lock are found by the file's name, so that under a second one another process would not see them. */
function refuseSecondName(path: string): void {
  const { nlink = 1 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (isFolder(path) || nlink < 2) return;
  throw new FileUnreadableError(
    path,
    `it has ${nlink} names (hard links), and two programs could write to it under two names. Remove the other names, or copy it to a file of its own`,
  );
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * One name per file, so that two paths to it share one lock; of a link whose target does not exist, that of the target.
 *
 * @throws FileUnreadableError if its folder is missing, or its links form a circle.
 */
export function realPath(path: string): string {
  let full = resolve(path);
  try {
    return realpathSync(full);
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      for (let links = 0; links < MOST_LINKS; links += 1) {
        try {
          full = join(realpathSync(dirname(full)), basename(full));
        } catch (cause) {
          throw new FileUnreadableError(path, `its folder ${dirname(full)} does not exist`, cause);
        }
        const target = targetOf(full);
        if (target === null) return full;
        full = resolve(dirname(full), target);
      }
    throw new FileUnreadableError(path, `its path cannot be followed (${codeOf(error)})`, error);
  }
}

/** As `realPath`; the path itself where its folder is missing. */
export function knownPath(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? 'unknown');
}
