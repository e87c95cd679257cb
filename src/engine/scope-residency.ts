import { SerialQueue } from '../util/serial-queue.ts';

/** A scope that can release what it holds in memory; its next user loads it again. */
export interface Resident {
  /** Approximate number of bytes it holds. */
  heldBytes(): number;
  /** Saves a snapshot for a quick load, then releases memory. Returns false while running work depends on it. */
  release(): Promise<boolean>;
}

export interface ResidencyLimits {
  /** A scope unused for this long is released. */
  readonly idleMilliseconds: number;
  /** Above this number of scopes, or of bytes, the least recently used scopes are released. */
  readonly mostScopes: number;
  readonly mostBytes: number;
  /** This many recently used scopes are never released by size, so that two large scopes do not evict each other. */
  readonly fewestScopes: number;
}

export const RESIDENCY_LIMITS: ResidencyLimits = {
  idleMilliseconds: 5 * 60_000,
  mostScopes: 64,
  mostBytes: 256 * 2 ** 20,
  fewestScopes: 4,
};

/**
 * Tracks which scopes hold their index and related data in memory, so that an engine that serves many users does not
 * keep every scope that was ever used. Releasing is safe at any time: a running search keeps the index that it began
 * with, and a scope is released only between two of its writes.
 */
export class ScopeResidency {
  readonly #limits: ResidencyLimits;
  /** Time of the last use, least recently used first. */
  readonly #used = new Map<Resident, number>();
  readonly #sweeps = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #isSweeping = false;
  /** Uses since the sizes were added up. */
  #touches = 0;
  #isClosed = false;

  constructor(limits: Partial<ResidencyLimits> = {}) {
    this.#limits = { ...RESIDENCY_LIMITS, ...limits };
  }

  /** Number of scopes that hold data in memory. */
  get size(): number {
    return this.#used.size;
  }

  /** Called before a scope is used and after it is loaded. */
  touch(resident: Resident): void {
    if (this.#isClosed) return;
    this.#used.delete(resident);
    this.#used.set(resident, performance.now());
    this.#timer ??= setInterval(
      () => void this.sweep(),
      Math.max(50, this.#limits.idleMilliseconds / 4),
    ).unref();
    if (this.#isDue() && this.#isOverLimits() && !this.#isSweeping) setImmediate(() => void this.sweep());
  }

  /** Adding up the sizes of all scopes at each use would cost more than the use, so this happens less often the more there are. */
  #isDue(): boolean {
    this.#touches += 1;
    if (this.#used.size <= this.#limits.fewestScopes || 16 * this.#touches < this.#used.size) return false;
    this.#touches = 0;
    return true;
  }

  /** Releases idle scopes and those above the limits. Resolves when done. */
  sweep(): Promise<void> {
    return this.#sweeps.run(async () => {
      this.#isSweeping = true;
      try {
        for (const [resident, since] of [...this.#used]) {
          if (this.#isClosed) return;
          const isIdle = performance.now() - since >= this.#limits.idleMilliseconds;
          const isSpare = this.#used.size > this.#limits.fewestScopes && this.#isOverLimits();
          if (!isIdle && !isSpare) return; // the others were used more recently
          if (this.#used.get(resident) === since) await this.#release(resident, since);
        }
      } finally {
        this.#isSweeping = false;
      }
    });
  }

  /** Called by the engine's close, which saves every scope: nothing is released any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#used.clear();
    await this.#sweeps.drain();
  }

  async #release(resident: Resident, since: number): Promise<void> {
    // A scope that cannot be released, such as one with an interrupted forgetting, is retried in the next sweep.
    const isReleased = await resident.release().catch(() => false);
    if (isReleased && this.#used.get(resident) === since) this.#used.delete(resident);
  }

  #isOverLimits(): boolean {
    if (this.#used.size > this.#limits.mostScopes) return true;
    let bytes = 0;
    for (const resident of this.#used.keys()) bytes += resident.heldBytes();
    return bytes > this.#limits.mostBytes;
  }
}
