import { z } from 'zod';
import { CancelledError, MnemisError } from '../../src/errors/index.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { INTERNAL, toWire } from '../client/errors.ts';
import { readInput } from '../client/handlers.ts';
import { contract, isMethodName, type MemoryClient, type MethodName, wireErrorSchema } from '../contract.ts';
import { refusals } from '../http/refusals.ts';

/** One end of a connection that carries messages in order, such as a MessagePort. */
export interface Wire {
  post(message: unknown): void;
  /** @returns a function that ends the subscription. */
  subscribe(listener: (message: unknown) => void): () => void;
}

/**
 * Messages from a client. `input` is JSON. `taken` reports that the client took one event of a stream; without it the
 * stream pauses.
 */
export const portRequestSchema = z.union([
  z.strictObject({
    id: z.number().int(),
    type: z.literal('request'),
    method: z.string().max(40),
    input: z.string(),
  }),
  z.strictObject({ id: z.number().int(), type: z.enum(['cancel', 'taken']) }),
]);
export type PortRequest = z.output<typeof portRequestSchema>;

/** Messages to a client: `result` and `event` are JSON; a stream ends with `end`. */
export const portReplySchema = z.union([
  z.strictObject({ id: z.number().int(), result: z.string() }),
  z.strictObject({ id: z.number().int(), event: z.string() }),
  z.strictObject({ id: z.number().int(), end: z.literal(true) }),
  z.strictObject({ id: z.number().int(), error: wireErrorSchema }),
]);
export type PortReply = z.output<typeof portReplySchema>;

interface PortServerOptions {
  readonly client: MemoryClient;
  readonly wire: Wire;
  /** The most requests at once. Default 128. */
  readonly requests?: number;
  /** Receives unexpected errors, which clients never see. */
  readonly onFailure?: (error: unknown) => void;
}

/** The most bytes of one request. */
const MOST_CHARACTERS = 32 * 2 ** 20;
/** Events of a stream that may be on their way. */
const MOST_EVENTS = 32;

interface Job {
  readonly controller: AbortController;
  readonly isEndless: boolean;
  readonly work: Promise<void>;
  /** Events that the client has not taken yet. */
  untaken: number;
  /** Called when the client took one, or left. */
  wake: () => void;
}

/** The contract over a wire, for a window of the desktop app. */
export class PortServer {
  readonly #options: PortServerOptions;
  readonly #jobs = new Map<number, Job>();
  readonly #unsubscribe: () => void;
  #isStopping = false;

  constructor(options: PortServerOptions) {
    this.#options = options;
    this.#unsubscribe = options.wire.subscribe((message) => this.#receive(message));
  }

  /** Ends endless streams, waits for other requests up to the grace period, then cancels them. */
  async close({ graceMilliseconds = 10_000 }: { readonly graceMilliseconds?: number } = {}): Promise<void> {
    this.#isStopping = true;
    for (const { isEndless, controller } of this.#jobs.values()) if (isEndless) controller.abort();
    const timer = setTimeout(() => this.#cancelAll(), graceMilliseconds);
    await Promise.all(Array.from(this.#jobs.values(), ({ work }) => work));
    clearTimeout(timer);
    this.#unsubscribe();
  }

  /** Cancels all requests: the client is gone. */
  disconnect(): void {
    this.#unsubscribe();
    this.#cancelAll();
  }

  #cancelAll(): void {
    for (const { controller } of this.#jobs.values()) controller.abort();
  }

  #receive(message: unknown): void {
    const { data } = portRequestSchema.safeParse(message);
    if (data === undefined) return; // nobody to answer: it has no id
    const job = this.#jobs.get(data.id);
    if (data.type === 'request') {
      if (job === undefined) this.#begin(data);
    } else if (data.type === 'cancel') job?.controller.abort();
    else if (job !== undefined) {
      job.untaken = Math.max(0, job.untaken - 1);
      job.wake();
    }
  }

  #begin({ id, method, input }: PortRequest & { readonly type: 'request' }): void {
    const controller = new AbortController();
    const job: Job = {
      controller,
      isEndless: isEndless(method),
      untaken: 0,
      wake: () => undefined,
      work: Promise.resolve().then(async () => {
        try {
          await this.#run(id, { job, method, input });
        } catch (error) {
          this.#post({ id, error: this.#describe(error) });
        }
        this.#jobs.delete(id);
      }),
    };
    controller.signal.addEventListener('abort', () => job.wake());
    this.#jobs.set(id, job);
  }

  async #run(
    id: number,
    { job, method, input }: { readonly job: Job; readonly method: string; readonly input: string },
  ): Promise<void> {
    if (this.#isStopping) throw refusals.stopping();
    if (!isMethodName(method)) throw refusals.path();
    if (this.#jobs.size > (this.#options.requests ?? 128)) throw refusals.busy();
    if (input.length > MOST_CHARACTERS) throw refusals.size(MOST_CHARACTERS);
    const read = parseJson(input);
    if (!read.ok) throw refusals.json(read.reason);
    readInput(method, read.value);
    const run = this.#options.client[method] as (input: unknown, options: object) => unknown;
    const reply = run(read.value, { signal: job.controller.signal });
    if (contract[method].kind === 'call') {
      this.#post({ id, result: JSON.stringify(await reply) });
      return;
    }
    for await (const event of reply as AsyncGenerator<unknown>) {
      job.untaken += 1;
      this.#post({ id, event: JSON.stringify(event) });
      await untilTaken(job);
      if (job.controller.signal.aborted) throw new CancelledError('what was acknowledged is stored');
    }
    this.#post({ id, end: true });
  }

  #describe(error: unknown) {
    if (this.#isStopping && MnemisError.isInstance(error) && error.code === 'cancelled')
      return toWire(refusals.stopped());
    const wire = toWire(error);
    if (wire.code === INTERNAL) this.#options.onFailure?.(error);
    return wire;
  }

  #post(message: PortReply): void {
    this.#options.wire.post(message);
  }
}

/** Resolves when fewer events are on their way, or the client has left. */
async function untilTaken(job: Job): Promise<void> {
  while (job.untaken >= MOST_EVENTS && !job.controller.signal.aborted)
    await new Promise<void>((resolve) => {
      job.wake = resolve;
    });
}

function isEndless(name: string): boolean {
  const method = isMethodName(name) ? contract[name satisfies MethodName] : null;
  return method?.kind === 'stream' && method.isEndless;
}
