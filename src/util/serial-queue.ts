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
