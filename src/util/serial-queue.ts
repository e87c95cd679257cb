/** Runs jobs one after another, in the order of the calls. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(job);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every job added so far has ended. */
  async drain(): Promise<void> {
    await this.#tail;
  }
}

/** Runs jobs in the background, at most `most` at once; failures go to `onError`. */
export class BackgroundJobs {
  readonly #most: number;
  readonly #onError: (error: unknown) => void;
  readonly #admission = new SerialQueue();
  readonly #running = new Set<Promise<void>>();
  #waiting = 0;

  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most;
    this.#onError = onError;
  }

  get isBusy(): boolean {
    return this.#waiting + this.#running.size > 0;
  }

  /** Resolves when the job has started, which may first wait for a free place. */
  begin(job: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    return this.#admission.run(async () => {
      while (this.#running.size >= this.#most) await Promise.race(this.#running);
      const done: Promise<void> = job()
        .catch(this.#onError)
        .finally(() => this.#running.delete(done));
      this.#running.add(done);
      this.#waiting -= 1;
    });
  }

  /** Resolves when every job added so far has ended. */
  async settled(): Promise<void> {
    await this.#admission.drain();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

/**
 * A lock: many shared jobs at once, or one exclusive job. A shared job must not wait for another one on the same
 * gate.
 */
export class SharedGate {
  readonly #alone = new SerialQueue();
  readonly #inside = new Set<Promise<unknown>>();
  /** Settles when the running or waiting exclusive job has ended; null without one. */
  #closed: Promise<void> | null = null;

  async shared<T>(job: () => Promise<T>): Promise<T> {
    while (this.#closed !== null) await this.#closed;
    const running = job();
    this.#inside.add(running);
    try {
      return await running;
    } finally {
      this.#inside.delete(running);
    }
  }

  /** Waits for the running shared jobs, and blocks new ones until the job has ended. */
  exclusive<T>(job: () => Promise<T>): Promise<T> {
    return this.#alone.run(async () => {
      let open = () => {};
      this.#closed = new Promise((resolve) => {
        open = resolve;
      });
      try {
        await Promise.allSettled(this.#inside);
        return await job();
      } finally {
        this.#closed = null;
        open();
      }
    });
  }
}
