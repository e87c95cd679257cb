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
