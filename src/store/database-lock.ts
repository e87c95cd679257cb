import { randomUUID } from 'node:crypto';
import { link, open, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import {
  DatabaseLockedError,
  FolderNotWritableError,
  type MnemisError,
  StoreWriteError,
} from '../errors/index.ts';

const holderSchema = z.object({
  pid: z.number().int().positive(),
  /** Start time of the process, to detect a reused pid; empty if unknown. */
  started: z.string(),
  /** Identify the machine and container in which the pid is valid; empty if the system does not provide them. */
  host: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/** The process that has a database open. */
export interface LockHolder {
  readonly pid: number;
  /** For messages: "the process with pid 12". */
  readonly who: string;
}

type Liveness = 'gone' | 'alive' | 'unknown';

const ATTEMPTS = 8;
const PAUSE_MILLISECONDS = 10;

/**
 * Makes one process, and one engine in it, the only user of a database file: `<path>.lock` names the holder. A lock
 * whose process has ended is taken over. A lock from another machine or container is never taken over, because its
 * processes are not visible from here. Kùzu has its own lock too, but that works only between processes.
 */
export class DatabaseLock {
  readonly #path: string;
  readonly #content: string;

  private constructor(path: string, content: string) {
    this.#path = path;
    this.#content = content;
  }

  /** @throws DatabaseLockedError with the holder's pid, FolderNotWritableError, StoreWriteError. */
  static async acquire(database: string): Promise<DatabaseLock> {
    const path = `${database}.lock`;
    const self = await thisProcess();
    const content = JSON.stringify({ ...self, token: randomUUID() });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await create(path, content)) return new DatabaseLock(path, content);
      const found = await readLock(path);
      if (found === null) continue; // released in the meantime
      const liveness = found.holder === null ? 'gone' : await livenessOf(found.holder, self);
      if (liveness !== 'gone')
        throw new DatabaseLockedError(database, describeHolder(path, found.holder!, liveness));
      if (!(await removeStaleLock(path, found.content))) await wait(PAUSE_MILLISECONDS * (attempt + 1));
    }
    throw new DatabaseLockedError(
      database,
      `other processes are opening it now; if you are sure that none is, delete ${path}.lock`,
    );
  }

  /** Null if nobody has the database open. A holder may be gone, or another one have it, at the next moment. */
  static async holder(database: string): Promise<LockHolder | null> {
    const path = `${database}.lock`;
    const { holder = null } = (await readLock(path)) ?? {};
    if (holder === null) return null;
    const liveness = await livenessOf(holder, await thisProcess());
    return liveness === 'gone' ? null : { pid: holder.pid, who: describeHolder(path, holder, liveness) };
  }

  /** Does nothing if another holder has taken the lock. */
  async release(): Promise<void> {
    if ((await readLock(this.#path))?.content === this.#content) await rm(this.#path, { force: true });
  }
}

/** Linking a complete file makes creation atomic: a reader never sees a lock without its holder. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (NO_LINKS.includes(codeOf(error))) return await createDirectly(path, content);
    throw notMade(path, error);
  } finally {
    await rm(draft, { force: true });
  }
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

const NOT_WRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'EACCES, permission denied',
  EPERM: 'EPERM, not permitted',
  EROFS: 'EROFS, a read-only file system',
};

function notMade(path: string, cause: unknown): MnemisError {
  const code = codeOf(cause);
  const reason = NOT_WRITABLE[code];
  if (reason !== undefined) return new FolderNotWritableError(dirname(path), reason, cause);
  return new StoreWriteError(`the lock file ${path} could not be created${code && `: ${code}`}`, cause);
}

/** For file systems without hard links. */
async function createDirectly(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(content);
    await file.close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw notMade(path, error);
  }
}

async function readLock(path: string): Promise<{ content: string; holder: Holder | null } | null> {
  try {
    const content = await readFile(path, 'utf8');
    return { content, holder: parseHolder(content) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StoreWriteError(`the lock file ${path} could not be read`, error);
  }
}

function parseHolder(content: string): Holder | null {
  try {
    return holderSchema.safeParse(JSON.parse(content)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Removes a stale lock if it has not changed. Requires a lock on the lock, otherwise one of several processes that
 * found it stale could remove the new lock of another.
 *
 * @returns false if another process is removing it.
 */
async function removeStaleLock(path: string, stale: string): Promise<boolean> {
  let guard: DatabaseLock;
  try {
    guard = await DatabaseLock.acquire(path);
  } catch (error) {
    if (DatabaseLockedError.isInstance(error)) return false;
    throw error;
  }
  try {
    if ((await readLock(path))?.content === stale) await rm(path, { force: true });
    return true;
  } catch (error) {
    throw new StoreWriteError(`the stale lock file ${path} could not be removed`, error);
  } finally {
    await guard.release();
  }
}

async function thisProcess(): Promise<Holder> {
  return {
    pid: process.pid,
    started: await startOf(process.pid),
    host: hostname(),
    boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim(),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(() => ''),
  };
}

async function livenessOf(holder: Holder, self: Holder): Promise<Liveness> {
  const sameBoot = holder.boot === self.boot;
  if (holder.host !== self.host && (self.boot === '' || !sameBoot)) return 'unknown';
  if (!sameBoot) return 'gone'; // the machine was restarted since
  if (holder.pidNamespace !== self.pidNamespace) return 'unknown';
  return (await isRunning(holder.pid, holder.started)) ? 'alive' : 'gone';
}

/**
 * Whether a process of this machine has not ended; one that only waits to be collected by its parent has.
 *
 * @param started - of the process that is meant: a later one with the same pid is another. Default: unknown.
 */
export async function isRunning(pid: number, started = ''): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  const [state, ...fields] = await statOf(pid);
  const now = fields[STARTED - 1];
  return state !== 'Z' && (started === '' || now === undefined || started === now);
}

async function startOf(pid: number): Promise<string> {
  return (await statOf(pid))[STARTED] ?? '';
}

/** Index of field 22 of /proc/<pid>/stat (clock ticks since the machine started), counted from the third field. */
const STARTED = 19;

/** The fields after the program's name, which may contain spaces and brackets; empty if there is no /proc. */
async function statOf(pid: number): Promise<string[]> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function describeHolder(lock: string, { pid, host }: Holder, liveness: Liveness): string {
  if (liveness === 'unknown')
    return `the process with pid ${pid} of another machine or container, host name ${host}; if you are sure that it has ended, delete ${lock}`;
  return pid === process.pid ? `this process, pid ${pid}` : `the process with pid ${pid}`;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
