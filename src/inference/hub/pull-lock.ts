import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HubUnavailableError } from '../../errors/index.ts';
import { makeFolder } from '../../util/files.ts';

export const LOCK_FILE = '.pulling';
const HEARTBEAT = 1_000;
const POLL = 200;
/** A lock that its holder has not touched for so long is abandoned. */
const STALE = 10_000;

interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once when another process has the lock. */
  readonly onWait?: (() => void) | undefined;
  /** Milliseconds without a heartbeat after which a lock is taken over. */
  readonly stale?: number | undefined;
}

export async function isBeingPulled(home: string): Promise<boolean> {
  const age = await ageOf(join(home, LOCK_FILE));
  return age !== null && age <= STALE;
}

/** Milliseconds since a lock’s last heartbeat, null without a lock. A clock that was set back ages it too. */
async function ageOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : Math.abs(Date.now() - found.mtimeMs);
}

/**
 * One pull of a model at a time: a second one waits, then finds the files. The lock only saves work.
 * Correctness depends on the checksums and on `assertHeld` before each move, so a holder that was suspended
 * and lost its lock does no harm.
 */
export class PullLock {
  readonly #path: string;
  readonly #token = randomUUID();
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref();
  }

  /** Waits for another holder. Rejects with the signal’s reason. */
  static async acquire(folder: string, options: LockOptions): Promise<PullLock> {
    const lock = new PullLock(join(folder, LOCK_FILE));
    try {
      for (let attempt = 0; !(await lock.#create()); attempt += 1) {
        if (attempt === 0) options.onWait?.();
        await wait(POLL, undefined, { signal: options.signal });
        await lock.#takeAwayStale(options.stale ?? STALE);
      }
      return lock;
    } catch (error) {
      clearInterval(lock.#heartbeat);
      throw error;
    }
  }

  /** @throws HubUnavailableError when another pull has taken over. */
  async assertHeld(): Promise<void> {
    if (await this.#isHeld()) return;
    throw new HubUnavailableError('Another process has taken over this pull');
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (await this.#isHeld()) await rm(this.#path, { force: true });
  }

  async #create(): Promise<boolean> {
    try {
      await writeFile(this.#path, this.#token, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (code !== 'ENOENT') throw error;
      // A failed pull removed its empty folder.
      await makeFolder(dirname(this.#path));
      return false;
    }
  }

  async #isHeld(): Promise<boolean> {
    return (await readFile(this.#path, 'utf8').catch(() => '')) === this.#token;
  }

  async #beat(): Promise<void> {
    const now = new Date();
    if (await this.#isHeld()) await utimes(this.#path, now, now).catch(() => undefined);
  }

  /** Of several processes that find a lock stale, one moves it away; if it has moved a newer lock, it puts that back. */
  async #takeAwayStale(after: number): Promise<void> {
    if (((await ageOf(this.#path)) ?? 0) <= after) return;
    const aside = `${this.#path}.${this.#token}`;
    try {
      await rename(this.#path, aside);
      if (((await ageOf(aside)) ?? 0) <= after) await link(aside, this.#path);
    } catch {
      // removed or replaced meanwhile: the next attempt finds out
    } finally {
      await rm(aside, { force: true });
    }
  }
}
