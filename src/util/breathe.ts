import { setImmediate } from 'node:timers/promises';

/** Upper limit of how long a breathing loop blocks the thread (docs/design.md, "Responsiveness"). */
const LONGEST_HOLD_MS = 5;

/** Yields to the event loop, so that other work (a search during an import) runs before the caller continues. */
export async function breathe(): Promise<void> {
  await setImmediate();
}

/** Used inside loops: yields to the event loop whenever the loop has held the thread too long. */
export class Breather {
  #since = performance.now();

  /** Whether the loop has held the thread too long; this check is cheaper than an await. */
  get isDue(): boolean {
    return performance.now() - this.#since >= LONGEST_HOLD_MS;
  }

  async breathe(): Promise<void> {
    if (!this.isDue) return;
    await breathe();
    this.#since = performance.now();
  }
}

/**
 * Work that may be interrupted at each `yield`, so that synchronous and asynchronous callers share one
 * implementation.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs the steps and yields to the event loop whenever the thread was held too long. */
export async function gradually<T>(steps: Steps<T>, breather: Breather): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (breather.isDue) await breather.breathe();
  }
}
