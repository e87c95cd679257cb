import { setTimeout as wait } from 'node:timers/promises';
import { CancelledError, MnemisError } from '../../src/errors/index.ts';
import { contract, type MemoryClient, type MethodName, type RequestOptions } from '../contract.ts';
import { STOPPED, STOPPING } from '../http/refusals.ts';
import { EngineUnreachableError } from './errors.ts';
import { checked, type Handlers } from './handlers.ts';

type Run = (input: unknown, options: RequestOptions) => Promise<unknown>;
type RunStream = (input: unknown, options: RequestOptions) => AsyncGenerator<unknown, void>;

/** Pauses before a resumed stream asks the next engine, in milliseconds: engines that crash at once must not spin. */
const PAUSES = [0, 250, 1_000, 2_500, 5_000];
/** A stream that lasted this long counts as a success. */
const LASTING_MILLISECONDS = 10_000;

/**
 * A client that finds or starts its engine again when it has stopped, for example after its idle timeout. A request is
 * retried only if the first attempt had no effect.
 *
 * @param first - An opened client for the first requests. Default: one is opened with the first request.
 */
export function reconnecting(open: () => Promise<MemoryClient>, first?: MemoryClient): MemoryClient {
  let opened = first === undefined ? null : Promise.resolve(first);
  const current = (): Promise<MemoryClient> => {
    opened ??= open().catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const again = async (used: MemoryClient): Promise<MemoryClient> => {
    if (opened !== null && (await opened) === used) opened = null; // otherwise another request has already done it
    return current();
  };
  const handlers = Object.fromEntries(
    (Object.keys(contract) as MethodName[]).map((name) => [
      name,
      contract[name].kind === 'call' ? callOf(name) : streamOf(name),
    ]),
  ) as unknown as Handlers;
  return { ...checked(handlers), close: async () => (await opened)?.close() };

  function callOf(name: MethodName): Run {
    return async (input, options) => {
      const client = await current();
      try {
        return await (client[name] as Run)(input, options);
      } catch (error) {
        if (!mayRepeat(name, error)) throw error;
        return ((await again(client))[name] as Run)(input, options);
      }
    };
  }

  function streamOf(name: MethodName): RunStream {
    const method = contract[name];
    if (method.kind === 'stream' && method.isResumed) return resumedOf(name);
    return async function* (input, options) {
      const client = await current();
      let isBegun = false;
      try {
        for await (const event of (client[name] as RunStream)(input, options)) {
          isBegun = true;
          yield event;
        }
      } catch (error) {
        if (isBegun || !mayRepeat(name, error)) throw error;
        yield* ((await again(client))[name] as RunStream)(input, options);
      }
    };
  }

  function resumedOf(name: MethodName): RunStream {
    return async function* (input, options) {
      let client = await current();
      for (let failures = 0; ; failures++) {
        const begun = performance.now();
        try {
          yield* (client[name] as RunStream)(input, options);
          return;
        } catch (error) {
          if (options.signal?.aborted || !isLost(error)) throw error;
        }
        if (performance.now() - begun > LASTING_MILLISECONDS) failures = 0;
        await pause(PAUSES[Math.min(failures, PAUSES.length - 1)]!, options.signal);
        client = await again(client);
      }
    };
  }
}

/** Rejects with CancelledError when the signal fires. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(milliseconds, undefined, { ...(signal && { signal }) }).catch((error) => {
    throw new CancelledError('nothing was changed', error);
  });
}

/** The engine ended; another one may answer. */
function isLost(error: unknown): boolean {
  return (
    EngineUnreachableError.isInstance(error) ||
    (MnemisError.isInstance(error) && (error.code === STOPPING || error.code === STOPPED))
  );
}

function mayRepeat(name: MethodName, error: unknown): boolean {
  if (name === 'shutdown') return false;
  if (EngineUnreachableError.isInstance(error)) return !error.isSent || contract[name].effect === 'reads';
  return MnemisError.isInstance(error) && error.code === STOPPING;
}
