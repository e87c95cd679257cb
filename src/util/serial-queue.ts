/** Runs jobs one after another, in the order they came. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(job);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every job that was asked for until now has ended. */
  async drain(): Promise<void> {
    await this.#tail;
  }
}

/** Runs jobs behind the caller's back, so many at most at once; a failure goes to `onError`. */
export class BackgroundJobs {
  readonly #most: number;
  readonly #onError: (error: unknown) => void;
  readonly #admission = new SerialQueue();
  readonly #running = new Set<Promise<void>>();

  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most;
    this.#onError = onError;
  }

  /** Resolves once the job has begun: soon, or when too many are running, once there is room. */
  begin(job: () => Promise<void>): Promise<void> {
    return this.#admission.run(async () => {
      while (this.#running.size >= this.#most) await Promise.race(this.#running);
      const done: Promise<void> = job()
        .catch(this.#onError)
        .finally(() => this.#running.delete(done));
      this.#running.add(done);
    });
  }

  /** Resolves when every job that was given until now has ended. */
  async settled(): Promise<void> {
    await this.#admission.drain();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

/** Lets many jobs in at once, or one alone. A shared job must not wait for another one of the same gate. */
export class SharedGate {
  readonly #alone = new SerialQueue();
  readonly #inside = new Set<Promise<unknown>>();
  /** Settles when the job that is alone, or waits to be, has ended. */
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

  /** Waits for the shared jobs inside, and lets no other in until it has ended. */
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
