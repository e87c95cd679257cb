import type { z } from 'zod';
import { contract, type MemoryClient, type MethodName, type RequestOptions } from '../../main/contract.ts';
import type { ConnectionState } from './connection-status.ts';
import { codes, EngineProblem, problems } from './engine-problem.ts';
import type { Transport } from './transport.ts';

/** When to try again; milliseconds. */
export interface Patience {
  /** Pauses between attempts; the last one repeats. */
  readonly pauses: readonly number[];
  /** How long a request that only reads is tried again. Resumed streams are tried until they are left. */
  readonly longest: number;
}

export const DEFAULT_PATIENCE: Patience = { pauses: [100, 300, 1_000, 2_000, 4_000], longest: 60_000 };

interface ClientOptions {
  readonly transport: Transport;
  readonly status: ConnectionState;
  readonly patience?: Patience;
}

/** Codes of requests that may succeed with the next engine. */
const LOST: readonly string[] = [
  codes.unreachable,
  'engine-unreachable',
  'engine-stopping',
  'engine-stopped',
  'engine-busy',
];
/** Codes with which the engine refuses a request before it begins. */
const UNDONE: readonly string[] = ['engine-stopping', 'engine-busy'];

type Run = (attempt: Attempt) => AsyncGenerator<unknown, void>;

interface Attempt {
  readonly name: MethodName;
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
}

/** The contract's client over a transport: checks inputs and replies, and tries again what may be tried again. */
export function clientOver({ transport, status, patience = DEFAULT_PATIENCE }: ClientOptions): MemoryClient {
  const methods = Object.fromEntries(
    (Object.keys(contract) as MethodName[]).map((name) => [
      name,
      contract[name].kind === 'call' ? callOf(name) : streamOf(name),
    ]),
  );
  return { ...methods, close: () => transport.close() } as unknown as MemoryClient;

  function callOf(name: MethodName) {
    return async (input: unknown, { signal }: RequestOptions = {}): Promise<unknown> => {
      for await (const reply of persistent(callOnce, checked({ name, input, signal }))) return reply;
      throw problems.reply();
    };
  }

  function streamOf(name: MethodName) {
    return async function* (input: unknown, { signal }: RequestOptions = {}) {
      yield* persistent(streamOnce, checked({ name, input, signal }));
    };
  }

  async function* callOnce({ name, input, signal }: Attempt) {
    const method = contract[name];
    const reply = await transport.call({ method: name, input, signal });
    if (method.kind === 'call') yield validated(method.output, reply);
  }

  async function* streamOnce({ name, input, signal }: Attempt) {
    const method = contract[name];
    if (method.kind !== 'stream') return;
    for await (const event of transport.stream({ method: name, input, signal }))
      yield validated(method.event, event);
  }

  async function* persistent(run: Run, attempt: Attempt): AsyncGenerator<unknown, void> {
    let [tries, giveUp, isBegun] = [0, Date.now() + patience.longest, false];
    for (;;) {
      try {
        for await (const item of run(attempt)) {
          isBegun = true;
          tries = 0;
          status.set('connected');
          yield item;
        }
        status.set('connected');
        return;
      } catch (error) {
        if (attempt.signal?.aborted) throw problems.cancelled(error);
        const isResumed = isEndlesslyResumed(attempt.name);
        if (!mayRepeat(attempt.name, { error, isBegun: isBegun && !isResumed })) throw noted(error);
        if (!isResumed && Date.now() > giveUp) throw noted(error);
        if (isBegun) giveUp = Date.now() + patience.longest;
        status.set('reconnecting');
        await pause(patience.pauses[Math.min(tries++, patience.pauses.length - 1)] ?? 0, attempt.signal);
      }
    }
  }

  /** Shows by the status what the error says of the connection. */
  function noted(error: unknown): unknown {
    if (!EngineProblem.isInstance(error)) return error;
    if (error.code === codes.signedOut) status.set('signed-out');
    else status.set(LOST.includes(error.code) ? 'reconnecting' : 'connected');
    return error;
  }
}

function isEndlesslyResumed(name: MethodName): boolean {
  const method = contract[name];
  return method.kind === 'stream' && method.isResumed;
}

function mayRepeat(
  name: MethodName,
  { error, isBegun }: { readonly error: unknown; readonly isBegun: boolean },
): boolean {
  if (!EngineProblem.isInstance(error) || isBegun || name === 'shutdown') return false;
  if (!LOST.includes(error.code)) return false;
  return contract[name].effect === 'reads' || error.isUndone || UNDONE.includes(error.code);
}

/** @throws EngineProblem for an input that does not fit the contract, or where the signal has fired already. */
function checked(attempt: Attempt): Attempt {
  const parsed = contract[attempt.name].input.safeParse(attempt.input);
  if (!parsed.success)
    throw new EngineProblem(
      codes.input,
      `The request "${attempt.name}" is not valid: ${placesOf(parsed.error)}`,
      {
        isUndone: true,
      },
    );
  if (attempt.signal?.aborted) throw problems.cancelled(attempt.signal.reason);
  return { ...attempt, input: parsed.data };
}

/** Where it does not fit: never the value, which is a person's text. */
function placesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, code }) => `${path.join('.') || 'the whole'} (${code})`)
    .join(', ');
}

function validated(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw problems.reply(parsed.error);
  return parsed.data;
}

async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
  if (signal?.aborted) throw problems.cancelled(signal.reason);
}
