const FIRST_MS = 15_000;
const LONGEST_MS = 30 * 60_000;

/**
 * After a failure nobody asked to hear of, work in the background rests, twice as long each time: a model that does
 * not answer would otherwise be asked, and paid, again with every turn.
 */
export class BackgroundPause {
  #length = 0;
  #until = 0;

  get isOn(): boolean {
    return performance.now() < this.#until;
  }

  lengthen(): void {
    this.#length = Math.min(LONGEST_MS, Math.max(FIRST_MS, 2 * this.#length));
    this.#until = performance.now() + this.#length;
  }

  end(): void {
    this.#length = 0;
    this.#until = 0;
  }
}
