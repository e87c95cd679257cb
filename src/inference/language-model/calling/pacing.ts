import PQueue from 'p-queue';

/** Clock, sleep and random numbers, which tests replace. */
export interface Timing {
  readonly now: () => number;
  /** Resolves after so many milliseconds, or at once when the signal fires. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export const REAL_TIMING: Timing = { now: () => Date.now(), sleep, random: () => Math.random() };

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done, { once: true });
  });
}

/**
 * Limits concurrent requests: halves the limit when the server reports overload, and adds one after as many
 * successes as the limit (additive increase, multiplicative decrease). Starts at the maximum.
 */
export class AdaptiveLimiter {
  readonly #most: number;
  readonly #queue: PQueue;
  #successes = 0;
  /** Grows with each halving; a throttled request that began before the last halving causes no further one. */
  #generation = 0;

  constructor(most: number) {
    this.#most = most;
    this.#queue = new PQueue({ concurrency: most });
  }

  get concurrency(): number {
    return this.#queue.concurrency;
  }

  /** Runs the job when the limit allows; while it waits, the signal removes it from the queue. */
  async run<Result>(job: (generation: number) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const waiting = new AbortController();
    const leave = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const start = () => {
      // From here on the job itself handles the signal: it must settle its reservation first.
      signal.removeEventListener('abort', leave);
      return job(this.#generation);
    };
    try {
      signal.throwIfAborted();
      return await this.#queue.add(start, { signal: waiting.signal });
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  succeeded(): void {
    this.#successes++;
    if (this.#successes < this.#queue.concurrency || this.#queue.concurrency >= this.#most) return;
    this.#successes = 0;
    this.#queue.concurrency++;
  }

  throttled(generation: number): void {
    this.#successes = 0;
    if (generation !== this.#generation) return;
    this.#generation++;
    this.#queue.concurrency = Math.max(1, Math.floor(this.#queue.concurrency / 2));
  }
}

const MINUTE = 60_000;

export interface RateLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
}

/** Keeps the requests and tokens of any minute below the limits of the provider's account. */
export class RateWindow {
  readonly #limits: RateLimits;
  readonly #timing: Timing;
  #entries: { readonly at: number; tokens: number }[] = [];

  constructor(limits: RateLimits, timing: Timing) {
    this.#limits = limits;
    this.#timing = timing;
  }

  /**
   * Waits until a request of so many tokens fits; returns early when the signal fires. A request larger than
   * the limit runs alone. Returns a function that replaces the estimate by the actual tokens.
   */
  async enter(tokens: number, signal: AbortSignal): Promise<(spent: number) => void> {
    while (!signal.aborted) {
      const now = this.#timing.now();
      this.#entries = this.#entries.filter(({ at }) => now - at < MINUTE);
      if (this.#fits(tokens)) {
        const entry = { at: now, tokens };
        this.#entries.push(entry);
        return (spent) => {
          entry.tokens = spent;
        };
      }
      await this.#timing.sleep(MINUTE - (now - this.#entries[0]!.at), signal);
    }
    return () => undefined;
  }

  #fits(tokens: number): boolean {
    if (this.#entries.length === 0) return true;
    const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = this.#limits;
    const sum = this.#entries.reduce((total, entry) => total + entry.tokens, tokens);
    return this.#entries.length < requestsPerMinute && sum <= tokensPerMinute;
  }
}
