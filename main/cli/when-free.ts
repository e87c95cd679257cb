import { setTimeout as wait } from 'node:timers/promises';
import { CancelledError, DatabaseLockedError, MnemisError } from '../../src/errors/index.ts';
import { defineError } from '../../src/errors/mnemis-error.ts';
import type { LockHolder } from '../../src/store/database-lock.ts';
import { holderOfFile, knownPath } from '../../src/store/memory-file.ts';
import { withoutPassword } from '../../src/util/database-url.ts';
import { besideMemory, hasFiles } from '../beside-memory.ts';
import { findEngine } from '../client/find-engine.ts';
import type { CommandConsole } from './console.ts';

interface WaitOptions {
  readonly path: string;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
  /** How long one process may keep the memory open, in milliseconds. Default 60,000. */
  readonly patience?: number;
}

const PATIENCE_MILLISECONDS = 60_000;
/** A shorter wait is not worth a line. */
const QUIET_MILLISECONDS = 1_000;
/** Differs from try to try, so that commands that wait together do not try together. */
const pauseMilliseconds = () => 50 + 100 * Math.random();

/**
 * Runs a job that opens the memory's file, once no other process has it open: commands that run at the same time take
 * turns. Another process that keeps it open ends the wait; the time starts again with each next one.
 *
 * @throws EngineRunningError where an engine serves the memory, also one that was started in the meantime,
 *   MemoryBusyError, CancelledError, and what the job throws.
 */
export async function whenFree<T>(job: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { console, signal, patience = PATIENCE_MILLISECONDS } = options;
  const path = withoutPassword(options.path);
  const place = besideMemory(options.path, console.terminal.env);
  let pid: number | undefined;
  let since = performance.now();
  let isNoted = false;
  for (;;) {
    const holder = hasFiles(path) ? await holderOfFile(path) : null;
    if (holder?.pid !== pid) since = performance.now();
    pid = holder?.pid;
    if (holder === null || holder.pid === process.pid)
      try {
        return await job();
      } catch (error) {
        if (!isAbout(error, path) || holder !== null) throw error;
        if (performance.now() - since > patience) throw error;
      }
    const running = await findEngine(place, { anyProtocol: true });
    if (running !== null) throw new EngineRunningError(path, running.discovery.pid);
    const waited = performance.now() - since;
    if (holder !== null && waited > patience) throw new MemoryBusyError(path, holder, waited);
    if (holder !== null && waited > QUIET_MILLISECONDS && !isNoted) {
      console.note(
        `${path} is open in ${holder.who}; waiting for at most ${Math.round(patience / 1000)} s until it is closed.`,
      );
      isNoted = true;
    }
    await pause(signal);
  }
}

function isAbout(error: unknown, path: string): boolean {
  return DatabaseLockedError.isInstance(error) && [path, knownPath(path)].includes(error.path);
}

async function pause(signal: AbortSignal): Promise<void> {
  await wait(pauseMilliseconds(), undefined, { signal }).catch((error) => {
    throw new CancelledError('nothing was changed', error);
  });
}

/** A command needs exclusive access to the memory's file, and an engine serves it. */
export class EngineRunningError extends defineError('engine-running', (path: string, pid: number) => ({
  message: `${path} is served by the engine with pid ${pid}, and this command needs exclusive access to the file; nothing was changed. Stop the engine with "mnemis server stop" and try again.`,
})) {}

/** Thrown after the wait; it has the code of `DatabaseLockedError`. */
class MemoryBusyError extends MnemisError {
  constructor(path: string, { who }: LockHolder, waited: number) {
    super({
      code: DatabaseLockedError.code,
      message: `${path} is open in ${who}, still after ${Math.round(waited / 1000)} s; nothing was changed. Close it there and try again. One memory for several programs at once: "mnemis server start".`,
    });
  }
}
