import PQueue from 'p-queue';

/**
 * How many requests are under way at once: halved when the server says it is too many, and one more after as
 * many successes as there are places (additive increase, multiplicative decrease). Starts at the most allowed.
 */
export class AdaptiveLimiter {
  readonly #most: number;
  readonly #queue: PQueue;
  #successes = 0;
  /** Grows with each halving; a throttled request that began before the last one has been answered by it. */
  #generation = 0;

  constructor(most: number) {
    this.#most = most;
    this.#queue = new PQueue({ concurrency: most });
  }

  get concurrency(): number {
    return this.#queue.concurrency;
  }

  /** Runs the job when there is a place for it; while it waits, the signal takes it out of the queue. */
  async run<Result>(job: (generation: number) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const waiting = new AbortController();
    const leave = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const start = () => {
      // From here on the job itself heeds the signal: it has accounts to settle first.
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
