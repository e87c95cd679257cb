import { readFileSync } from 'node:fs';

/** Interval of the timer, in milliseconds. */
const INTERVAL_MS = 2;
const SCHEDULER = '/proc/thread-self/schedstat';

/** CPU milliseconds of this thread (Linux), which exclude other processes, else wall-clock milliseconds. */
export function threadTime(): number {
  try {
    return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Measures for how long the event loop is blocked: the thread's time between two ticks of a timer. */
export class HoldMeter {
  #last = threadTime();
  #longest = 0;
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS);

  /** The longest block since the last call, in milliseconds. */
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
