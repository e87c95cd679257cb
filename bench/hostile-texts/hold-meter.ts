/** How often it looks, in milliseconds. */
const INTERVAL_MS = 2;

/** Measures for how long the event loop served nobody, by the gaps of a timer. */
export class HoldMeter {
  #last = performance.now();
  #longest = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS);
  }

  /** The longest gap so far, in milliseconds, beyond the timer's own interval; starts from nothing again. */
  take(): number {
    this.#look();
    const longest = Math.max(0, this.#longest - INTERVAL_MS);
    this.#longest = 0;
    return longest;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }
}
