/** Writes under way behind the back of runs, so many at most. */
export class BackgroundWrites {
  readonly #most: number;
  readonly #onError: (error: unknown) => void;
  readonly #under = new Set<Promise<void>>();

  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most;
    this.#onError = onError;
  }

  /** Begins a write; resolves at once, or, when too many are under way, once there is room. */
  async begin(write: () => Promise<void>): Promise<void> {
    while (this.#under.size >= this.#most) await Promise.race(this.#under);
    const done: Promise<void> = write()
      .catch(this.#onError)
      .finally(() => this.#under.delete(done));
    this.#under.add(done);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }
}
