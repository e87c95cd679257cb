interface ReadinessOptions {
  /** Asks the store something. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly mostMilliseconds: number;
}

/** How long an answer counts: anybody may ask whether the server is ready, and must not load the store by it. */
const FRESH_MILLISECONDS = 1_000;

/** Whether the store answers, asked at most once a second. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #asking: Promise<boolean> | null = null;
  #asked = Number.NEGATIVE_INFINITY;
  #last = true;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** What the last check found. */
  get last(): boolean {
    return this.#last;
  }

  async check(): Promise<boolean> {
    if (performance.now() - this.#asked < FRESH_MILLISECONDS) return this.#last;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    const { ask, mostMilliseconds } = this.#options;
    const signal = AbortSignal.timeout(mostMilliseconds);
    const tooLate = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([ask(signal), tooLate]);
      this.#last = true;
    } catch {
      this.#last = false;
    }
    this.#asked = performance.now();
    return this.#last;
  }
}
