import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readlinkSync, rmSync } from 'node:fs';
import { chmod, link, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
  /** Identify the machine and container where the pid is valid; empty if the system does not provide them. */
  host: z.string(),
  boot: z.string(),
  pidNamespace: z.string(),
  /** Name of the socket beside the lock on which a process in a container listens; empty if it does not. */
  socket: z
    .string()
    .regex(/^[\w.-]*$/)
    .default(''),
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
 * whose process has ended is taken over. The processes of another container are not visible from here, so a process in
 * a container listens on a socket beside the lock, which the kernel closes when the process ends. A lock from another
 * machine is never taken over. Kùzu has its own lock too, but that works only between processes.
 */
export class DatabaseLock {
  readonly #path: string;
  readonly #content: string;
  readonly #sign: SignOfLife | null;

  private constructor(path: string, content: string, sign: SignOfLife | null) {
    this.#path = path;
    this.#content = content;
    this.#sign = sign;
  }

  /**
   * @param shown The file that messages name.
   * @throws DatabaseLockedError with the holder's pid, FolderNotWritableError, StoreWriteError.
   */
  static async acquire(database: string, shown = database): Promise<DatabaseLock> {
    const path = `${database}.lock`;
    const here = await thisProcess();
    const isContained = here.pidNamespace !== '' && here.pidNamespace !== INITIAL_NAMESPACE;
    const sign = isContained ? await showLife(path) : null;
    const self = { ...here, socket: sign?.name ?? '' };
    const content = JSON.stringify({ ...self, token: randomUUID() });
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (await create(path, content)) {
          await removeDrafts(path, self);
          return new DatabaseLock(path, content, sign);
        }
        const found = await readLock(path);
        if (found === null) continue; // released in the meantime
        const liveness = found.holder === null ? 'gone' : await livenessOf(path, found.holder, self);
        if (liveness !== 'gone')
          throw new DatabaseLockedError(shown, describeHolder(path, found.holder!, liveness));
        if (!(await removeStaleLock(path, found))) await wait(PAUSE_MILLISECONDS * (attempt + 1));
      }
      throw new DatabaseLockedError(
        shown,
        `other processes are opening it now; if you are sure that none is, delete ${path}.lock`,
      );
    } catch (error) {
      sign?.end();
      throw error;
    }
  }

  /**
   * Removes a lock file whose owner has ended, or which names none. @throws DatabaseLockedError if the owner may run.
   */
  static async removeStale(database: string): Promise<void> {
    const path = `${database}.lock`;
    const found = await readLock(path);
    if (found === null) return;
    const { holder } = found;
    const liveness = holder === null ? 'gone' : await livenessOf(path, holder, await thisProcess());
    if (liveness !== 'gone') throw new DatabaseLockedError(database, describeHolder(path, holder!, liveness));
    await removeIfSame(path, found);
  }

  /** Null if nobody has the database open. A holder may be gone, or another one have it, at the next moment. */
  static async holder(database: string): Promise<LockHolder | null> {
    const path = `${database}.lock`;
    const { holder = null } = (await readLock(path)) ?? {};
    if (holder === null) return null;
    const liveness = await livenessOf(path, holder, await thisProcess());
    return liveness === 'gone' ? null : { pid: holder.pid, who: describeHolder(path, holder, liveness) };
  }

  /** Does nothing if another holder has taken the lock. */
  async release(): Promise<void> {
    if ((await readLock(this.#path))?.content === this.#content) await rm(this.#path, { force: true });
    this.#sign?.end();
  }
}

/** The socket of a lock: while its process runs, others can connect to it. */
interface SignOfLife {
  readonly name: string;
  end(): void;
}

/** Links of /proc/<pid>/ns/pid: of the processes outside all containers. */
const INITIAL_NAMESPACE = 'pid:[4026531836]';

/** Null where the file system has no sockets: then nobody can tell from elsewhere whether this process runs. */
async function showLife(lock: string): Promise<SignOfLife | null> {
  const name = `.mnemis-${randomUUID().slice(0, 18)}.sock`;
  const folder = await folderOf(lock);
  const server = createServer((connection) => connection.destroy());
  const end = () => {
    server.close();
    rmSync(join(dirname(lock), name), { force: true });
    folder?.close();
  };
  server.unref();
  server.listen({ path: join(folder?.path ?? dirname(lock), name), exclusive: true });
  try {
    await once(server, 'listening');
    await chmod(join(dirname(lock), name), 0o600);
    return { name, end };
  } catch {
    end();
    return null;
  }
}

/** Whether the holder's process accepts connections; `unknown` if that cannot be tried. */
async function probe(lock: string, name: string): Promise<Liveness> {
  if (name === '' || !existsSync(join(dirname(lock), name))) return 'unknown';
  const folder = await folderOf(lock);
  const socket = connect(join(folder?.path ?? dirname(lock), name));
  try {
    await once(socket, 'connect');
    return 'alive';
  } catch (error) {
    return codeOf(error) === 'ECONNREFUSED' ? 'gone' : 'unknown';
  } finally {
    socket.destroy();
    folder?.close();
  }
}

/** A short path of the folder: the path of a socket has at most 107 bytes. */
async function folderOf(lock: string): Promise<{ readonly path: string; close(): void } | null> {
  const handle = await open(dirname(lock), 'r').catch(() => null);
  return handle && { path: `/proc/self/fd/${handle.fd}`, close: () => void handle.close() };
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

/** What killed processes left of locks that they were making. A draft that is not whole may still be written. */
async function removeDrafts(path: string, self: Holder): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(`${basename(path)}.`) && DRAFT.test(each))) {
    const draft = join(dirname(path), name);
    const found = await readLock(draft).catch(() => null);
    if (found === null) continue;
    const isGone =
      found.holder === null ? await isOld(draft) : (await livenessOf(path, found.holder, self)) === 'gone';
    if (isGone) await rm(draft, { force: true });
  }
}

const DRAFT = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const DRAFT_MILLISECONDS = 60_000;

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > DRAFT_MILLISECONDS;
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

interface FoundLock {
  readonly content: string;
  /** Null if the file does not name one. */
  readonly holder: Holder | null;
}

async function readLock(path: string): Promise<FoundLock | null> {
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
async function removeStaleLock(path: string, stale: FoundLock): Promise<boolean> {
  let guard: DatabaseLock;
  try {
    guard = await DatabaseLock.acquire(path);
  } catch (error) {
    if (DatabaseLockedError.isInstance(error)) return false;
    throw error;
  }
  try {
    await removeIfSame(path, stale);
    return true;
  } finally {
    await guard.release();
  }
}

async function removeIfSame(path: string, { content, holder }: FoundLock): Promise<void> {
  try {
    if ((await readLock(path))?.content !== content) return;
    await rm(path, { force: true });
    if (holder?.socket) await rm(join(dirname(path), holder.socket), { force: true });
  } catch (error) {
    throw new StoreWriteError(`the stale lock file ${path} could not be removed`, error);
  }
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

async function thisProcess(): Promise<Holder> {
  return {
    socket: '',
    pid: process.pid,
    started: await startOf(process.pid),
    host: hostname(),
    boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim(),
    pidNamespace: ownNamespace(),
  };
}

async function livenessOf(lock: string, holder: Holder, self: Holder): Promise<Liveness> {
  const sameBoot = holder.boot === self.boot;
  if (holder.host !== self.host && (self.boot === '' || !sameBoot)) return 'unknown';
  if (!sameBoot) return 'gone'; // the machine was restarted since
  if (holder.pidNamespace !== self.pidNamespace) return probe(lock, holder.socket);
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

function describeHolder(lock: string, { pid, host, pidNamespace }: Holder, liveness: Liveness): string {
  if (liveness === 'unknown')
    return `the process with pid ${pid} of another machine or container, host name ${host}; if you are sure that it has ended, delete ${lock}`;
  return pid === process.pid && pidNamespace === ownNamespace()
    ? `this process, pid ${pid}`
    : `the process with pid ${pid}${pidNamespace === ownNamespace() ? '' : ` of another container, host name ${host}`}`;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
