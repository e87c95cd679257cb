interface RestartLimits {
  /** The most starts within the period. */
  readonly most: number;
  readonly milliseconds: number;
  /** Pauses before each start within the period; the last one repeats. */
  readonly pauses: readonly number[];
}

export const RESTART_LIMITS: RestartLimits = {
  most: 5,
  milliseconds: 60_000,
  pauses: [0, 500, 1_000, 2_000, 4_000],
};

/** Decides when an engine that crashed is started again: soon, but not for ever. */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #clock: () => number;
  #starts: number[] = [];

  constructor(limits: RestartLimits = RESTART_LIMITS, clock: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Milliseconds until the next start; null if there were too many within the period. */
  next(): number | null {
    const { most, milliseconds, pauses } = this.#limits;
    const now = this.#clock();
    this.#starts = this.#starts.filter((start) => start > now - milliseconds);
    if (this.#starts.length >= most) return null;
    const pause = pauses[Math.min(this.#starts.length, pauses.length - 1)] ?? 0;
    this.#starts.push(now + pause);
    return pause;
  }
}
