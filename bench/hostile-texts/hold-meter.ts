import { readFileSync } from 'node:fs';

/** How often it looks, in milliseconds. */
const INTERVAL_MS = 2;
const SCHEDULER = '/proc/thread-self/schedstat';

/**
 * Milliseconds that this thread has computed (Linux), or else that have passed: what other processes take of the
 * machine does not count where that can be known.
 */
export function threadTime(): number {
  try {
    return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Measures for how long the event loop served nobody: what the thread computes between two ticks of a timer. */
export class HoldMeter {
  #last = threadTime();
  #longest = 0;
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS);

  /** The longest hold since the last call, in milliseconds. */
  take(): number {
    this.#look();
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = threadTime();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }
}
