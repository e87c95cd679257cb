import { SerialQueue } from '../util/serial-queue.ts';

/** A scope that can let go of what it holds in memory; whoever uses it next loads that again. */
export interface Resident {
  /** About how many bytes it holds now. */
  heldBytes(): number;
  /** Saves what makes the next load quick, then lets go. False when work is under way that goes by what is held. */
  letGo(): Promise<boolean>;
}

export interface ResidencyLimits {
  /** A scope that nobody has used for so long lets go. */
  readonly idleMilliseconds: number;
  /** With more scopes in memory, or more bytes, those that were used least recently let go. */
  readonly mostScopes: number;
  readonly mostBytes: number;
  /** So many that were used last stay whatever they hold: two large scopes must not push each other out. */
  readonly fewestScopes: number;
}

export const RESIDENCY_LIMITS: ResidencyLimits = {
  idleMilliseconds: 5 * 60_000,
  mostScopes: 64,
  mostBytes: 256 * 2 ** 20,
  fewestScopes: 4,
};

/**
 * Which scopes hold their index and what belongs to it in memory. An engine that serves many users would else keep the
 * memory of everybody who ever asked something. Letting go is safe at any time: a search under way keeps the index that
 * it began with, and a scope lets go only between two of its writes.
 */
export class ScopeResidency {
  readonly #limits: ResidencyLimits;
  /** When each was used last, least recently used first. */
  readonly #used = new Map<Resident, number>();
  readonly #sweeps = new SerialQueue();
  #timer: NodeJS.Timeout | null = null;
  #isSweeping = false;
  #isClosed = false;

  constructor(limits: Partial<ResidencyLimits> = {}) {
    this.#limits = { ...RESIDENCY_LIMITS, ...limits };
  }

  /** How many scopes hold something in memory. */
  get size(): number {
    return this.#used.size;
  }

  /** The scope is about to be used, or has just been loaded. */
  touch(resident: Resident): void {
    if (this.#isClosed) return;
    this.#used.delete(resident);
    this.#used.set(resident, performance.now());
    this.#timer ??= setInterval(
      () => void this.sweep(),
      Math.max(50, this.#limits.idleMilliseconds / 4),
    ).unref();
    if (this.#used.size > this.#limits.fewestScopes && this.#isOverLimits() && !this.#isSweeping)
      setImmediate(() => void this.sweep());
  }

  /** Has those let go that are idle or too many. Resolves when they have. */
  sweep(): Promise<void> {
    return this.#sweeps.run(async () => {
      this.#isSweeping = true;
      try {
        for (const [resident, since] of [...this.#used]) {
          if (this.#isClosed) return;
          const isIdle = performance.now() - since >= this.#limits.idleMilliseconds;
          const isSpare = this.#used.size > this.#limits.fewestScopes && this.#isOverLimits();
          if (!isIdle && !isSpare) return; // the others were used more recently
          if (this.#used.get(resident) === since) await this.#letGo(resident, since);
        }
      } finally {
        this.#isSweeping = false;
      }
    });
  }

  /** For the engine's close: nothing lets go any more, since every scope is about to be saved. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#used.clear();
    await this.#sweeps.drain();
  }

  async #letGo(resident: Resident, since: number): Promise<void> {
    // A scope that cannot let go, as with a forgetting that was stopped, is asked again with the next sweep.
    const hasLetGo = await resident.letGo().catch(() => false);
    if (hasLetGo && this.#used.get(resident) === since) this.#used.delete(resident);
  }

  #isOverLimits(): boolean {
    if (this.#used.size > this.#limits.mostScopes) return true;
    let bytes = 0;
    for (const resident of this.#used.keys()) bytes += resident.heldBytes();
    return bytes > this.#limits.mostBytes;
  }
}
