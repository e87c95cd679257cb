import { setImmediate } from 'node:timers/promises';

/** Others wait at most about so long for a loop that breathes (DESIGN §8.13). */
const LONGEST_HOLD_MS = 10;

/** Lets the event loop serve others (a search during an import) before the caller goes on. */
export async function breathe(): Promise<void> {
  await setImmediate();
}

/** For the inside of a loop: lets others in whenever the loop has held the thread for long enough. */
export class Breather {
  #since = performance.now();

  async breathe(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_HOLD_MS) return;
    await breathe();
    this.#since = performance.now();
  }
}
