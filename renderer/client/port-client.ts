import { z } from 'zod';
import { type MemoryClient, wireErrorSchema } from '../../main/contract.ts';
import { clientOver, type Patience } from './client-over.ts';
import { ConnectionState } from './connection-status.ts';
import { codes, EngineProblem, problems } from './engine-problem.ts';
import type { Sent, Transport } from './transport.ts';

/** One end of a connection that carries messages in order, such as a MessagePort. `main/desktop/port-server.ts` describes them. */
export interface Wire {
  post(message: unknown): void;
  /** @returns a function that ends the subscription. */
  subscribe(listener: (message: unknown) => void): () => void;
}

interface PortClientOptions {
  readonly wire: Wire;
  readonly status?: ConnectionState;
  readonly patience?: Patience;
}

/** A client of an engine that serves the other end of a wire. */
export function portClient({ wire, status, patience }: PortClientOptions): MemoryClient {
  return clientOver({
    transport: new PortTransport(wire),
    status: status ?? new ConnectionState(),
    ...(patience && { patience }),
  });
}

const replySchema = z.union([
  z.strictObject({ id: z.number(), result: z.string() }),
  z.strictObject({ id: z.number(), event: z.string() }),
  z.strictObject({ id: z.number(), end: z.literal(true) }),
  z.strictObject({ id: z.number(), error: wireErrorSchema }),
]);
type Reply = z.output<typeof replySchema>;

class PortTransport implements Transport {
  readonly #wire: Wire;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #unsubscribe: () => void;
  #last = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#unsubscribe = wire.subscribe((message) => {
      const { data } = replySchema.safeParse(message);
      if (data !== undefined) this.#waiting.get(data.id)?.(data);
    });
  }

  async call(request: Sent): Promise<unknown> {
    for await (const reply of this.#replies(request)) if ('result' in reply) return parseValue(reply.result);
    throw problems.reply();
  }

  async *stream(request: Sent): AsyncGenerator<unknown, void> {
    for await (const reply of this.#replies(request)) {
      if ('end' in reply) return;
      if (!('event' in reply)) throw problems.reply();
      yield parseValue(reply.event);
      this.#wire.post({ id: reply.id, type: 'taken' });
    }
  }

  async close(): Promise<void> {
    for (const [id, give] of this.#waiting)
      give({ id, error: { code: codes.cancelled, message: 'The client was closed.' } });
    this.#unsubscribe();
  }

  /** Messages that answer a request. Leaving them cancels it. */
  async *#replies({ method, input, signal }: Sent): AsyncGenerator<Exclude<Reply, { error: unknown }>, void> {
    const id = ++this.#last;
    const replies: Reply[] = [];
    let [wake, isOver] = [() => {}, false];
    this.#waiting.set(id, (reply) => {
      replies.push(reply);
      wake();
    });
    const stop = () => wake();
    signal?.addEventListener('abort', stop);
    try {
      this.#post({ id, type: 'request', method, input: JSON.stringify(input) });
      for (;;) {
        if (signal?.aborted) throw problems.cancelled(signal.reason);
        const reply = replies.shift();
        if (reply === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        isOver = !('event' in reply);
        if ('error' in reply) {
          const { code, message, reason } = reply.error;
          throw new EngineProblem(code, message, { reason });
        }
        yield reply;
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(id);
      if (!isOver) this.#wire.post({ id, type: 'cancel' });
    }
  }

  #post(message: object): void {
    try {
      this.#wire.post(message);
    } catch (error) {
      throw problems.unreachable(error);
    }
  }
}

function parseValue(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw problems.reply(error);
  }
}
