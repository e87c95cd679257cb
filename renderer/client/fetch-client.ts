import { type MemoryClient, wireErrorSchema } from '../../main/contract.ts';
import { clientOver, type Patience } from './client-over.ts';
import { ConnectionState } from './connection-status.ts';
import { EngineProblem, problems } from './engine-problem.ts';
import type { Sent, Transport } from './transport.ts';

interface FetchClientOptions {
  /** Default: the page's own origin. */
  readonly origin?: string;
  /** Null if the page has none. */
  readonly token: () => string | null;
  readonly status?: ConnectionState;
  readonly patience?: Patience;
}

/** A client of the server that this page came from. */
export function fetchClient({ origin = '', token, status, patience }: FetchClientOptions): MemoryClient {
  return clientOver({
    transport: fetchTransport({ origin, token }),
    status: status ?? new ConnectionState(),
    ...(patience && { patience }),
  });
}

function fetchTransport({
  origin,
  token,
}: Required<Pick<FetchClientOptions, 'origin' | 'token'>>): Transport {
  const open = new Set<AbortController>();
  return {
    async call(request) {
      return withReply(request, async (response) => {
        const reply = readReply(await response.text());
        if (!('result' in reply)) throw problems.reply();
        return reply.result;
      });
    },
    async *stream(request) {
      const leaving = tied(request.signal);
      open.add(leaving);
      try {
        const response = await post({ ...request, signal: leaving.signal });
        for await (const line of linesOf(response)) {
          if (line.trim() === '') continue; // a sign of life
          const reply = readReply(line);
          if ('end' in reply) return;
          if (!('event' in reply)) throw problems.reply();
          yield reply.event;
        }
        throw problems.unreachable(); // interrupted: a stream has a last line
      } catch (error) {
        throw problemOf(error, request.signal);
      } finally {
        open.delete(leaving);
        leaving.abort();
      }
    },
    async close() {
      for (const controller of open) controller.abort();
    },
  };

  async function withReply<T>(request: Sent, read: (response: Response) => Promise<T>): Promise<T> {
    try {
      return await read(await post(request));
    } catch (error) {
      throw problemOf(error, request.signal);
    }
  }

  async function post(request: Sent): Promise<Response> {
    const known = token();
    if (known === null) throw problems.signedOut();
    return send(origin, { ...request, token: known });
  }
}

/** One request without retries, for what is not part of the contract. @returns the result, unchecked. */
export async function postOnce(
  origin: string,
  request: Sent & { readonly token?: string },
): Promise<unknown> {
  try {
    return readReply(await (await send(origin, request)).text()).result;
  } catch (error) {
    throw problemOf(error, request.signal);
  }
}

/** @returns the response with status 200, whose body is still to come. @throws EngineProblem for another one. */
async function send(
  origin: string,
  { method, input, token, signal }: Sent & { readonly token?: string },
): Promise<Response> {
  const response = await fetch(`${origin}/v1/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(input),
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    ...(signal && { signal }),
  });
  if (response.status !== 200) readReply(await response.text());
  return response;
}

/** A controller that the caller's signal aborts, too. */
function tied(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort();
  signal?.addEventListener('abort', () => controller.abort(), { signal: controller.signal });
  return controller;
}

/** @throws EngineProblem where the reply is an error, or nothing known. */
function readReply(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw problems.reply(error);
  }
  if (typeof value !== 'object' || value === null) throw problems.reply();
  if (!('error' in value)) return value as Readonly<Record<string, unknown>>;
  const parsed = wireErrorSchema.safeParse(value.error);
  if (!parsed.success) throw problems.reply(parsed.error);
  throw new EngineProblem(parsed.data.code, parsed.data.message, { reason: parsed.data.reason });
}

/** The body line by line, as it arrives. A line without its end was cut off and is dropped. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...more] = decoder.decode(value, { stream: true }).split('\n');
      rest.push(first);
      for (const next of more) {
        yield rest.join('');
        rest = [next];
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function problemOf(error: unknown, signal: AbortSignal | undefined): EngineProblem {
  if (signal?.aborted) return problems.cancelled(error);
  return EngineProblem.isInstance(error) ? error : problems.unreachable(error);
}
