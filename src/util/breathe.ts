import { setImmediate } from 'node:timers/promises';

/** Others wait at most about so long for a loop that breathes (docs/design.md, "Responsiveness"). */
const LONGEST_HOLD_MS = 10;

/** Lets the event loop serve others (a search during an import) before the caller goes on. */
export async function breathe(): Promise<void> {
  await setImmediate();
}

/** For the inside of a loop: lets others in whenever the loop has held the thread for long enough. */
export class Breather {
  #since = performance.now();

  /** Whether the loop has held the thread for long enough: asking costs less than awaiting. */
  get isDue(): boolean {
    return performance.now() - this.#since >= LONGEST_HOLD_MS;
  }

  async breathe(): Promise<void> {
    if (!this.isDue) return;
    await breathe();
    this.#since = performance.now();
  }
}

/** Work that may be interrupted at each `yield`, so that one piece of code serves callers that wait and those that cannot. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Lets others in between two steps, whenever the thread has been held for long enough. */
export async function gradually<T>(steps: Steps<T>, breather: Breather): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (breather.isDue) await breather.breathe();
  }
}
