import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CancelledError, DatabaseLockedError } from '../errors/index.ts';
import type { CallOptions } from '../model/call-options.ts';

export interface WaitOptions extends CallOptions {
  /** How long, in milliseconds. Default 0: not at all. */
  readonly wait?: number;
}

/** Differs from try to try, so that programs that wait together do not try together. */
const pauseMilliseconds = () => 50 + 100 * Math.random();

/**
 * Opens a memory's file once no other program has it open.
 *
 * @throws DatabaseLockedError after the wait, CancelledError, and what `open` throws.
 */
export async function whenFree<T>(
  path: string,
  { wait = 0, signal }: WaitOptions,
  open: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    if (signal?.aborted) throw new CancelledError('the memory was not opened', signal.reason);
    try {
      return await open();
    } catch (error) {
      if (!DatabaseLockedError.isInstance(error)) throw error;
      const waited = performance.now() - begun;
      if (waited >= wait)
        throw new DatabaseLockedError(path, error.holder, {
          cause: error,
          advice: adviceOn(path),
          ...(wait > 0 && { waited }),
        });
    }
    await pause(pauseMilliseconds(), undefined, signal && { signal }).catch(() => undefined);
  }
}

/** The engine of the command line, the app and the MCP server is found by a file beside the memory. */
function adviceOn(path: string): string {
  return existsSync(`${path}.server.json`)
    ? `An engine of Mnemis serves it to several programs: join them with connect({ path }) from "mnemis/client", or end it with: npx mnemis server stop --path ${JSON.stringify(path)}`
    : 'Close it there, wait for it with Mnemis.open({ path, wait: 10_000 }), or let several programs use it at once with connect({ path }) from "mnemis/client"';
}
