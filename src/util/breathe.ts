import { setImmediate } from 'node:timers/promises';

/** Lets the event loop serve others (a search during an import) before the caller goes on. */
export async function breathe(): Promise<void> {
  await setImmediate();
}
