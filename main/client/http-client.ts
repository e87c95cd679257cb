import { type IncomingMessage, request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { z } from 'zod';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { contract, type MemoryClient, type RequestOptions } from '../contract.ts';
import { EngineReplyError, EngineUnreachableError, fromWire } from './errors.ts';
import { checked, type Handlers } from './handlers.ts';

/** A client of an engine in another process of this machine. It holds no connection between requests. */
export function httpClient(address: EngineAddress): MemoryClient {
  const handlers = Object.fromEntries(
    Object.entries(contract).map(([name, method]) => {
      const request = (input: unknown, { signal }: RequestOptions): Post => ({ method: name, input, signal });
      return method.kind === 'call'
        ? [
            name,
            (input: unknown, options: RequestOptions) => ask(address, request(input, options), method.output),
          ]
        : [
            name,
            (input: unknown, options: RequestOptions) =>
              follow(address, request(input, options), method.event),
          ];
    }),
  ) as unknown as Handlers;
  return { ...checked(handlers), close: async () => undefined };
}

async function ask(address: EngineAddress, request: Post, output: z.ZodType): Promise<unknown> {
  return validated(output, await replyTo(address, request));
}

/** The result of a request with one reply, unchecked. @throws as `post`, EngineError, EngineReplyError. */
export async function replyTo(address: EngineAddress, request: Post): Promise<unknown> {
  return readReply(await textOf(await post(address, request), request.signal)).result;
}

/** A stream ends with a line of its own: without one it was broken off. */
async function* follow(
  address: EngineAddress,
  request: Post,
  event: z.ZodType,
): AsyncGenerator<unknown, void> {
  const response = await post(address, request);
  try {
    for await (const line of linesOf(response, request.signal)) {
      if (line === '') continue; // a sign of life
      const reply = readReply(line);
      if ('end' in reply) return;
      yield validated(event, reply.event);
    }
  } finally {
    response.destroy();
  }
  throw new EngineUnreachableError(true);
}

/** An older engine, which lacks a newer method. */
const UNKNOWN_METHOD = 'unknown-method';

/** @throws EngineError where it is an error, EngineReplyError where it is nothing known. */
function readReply(text: string): Readonly<Record<string, unknown>> {
  const read = parseJson(text);
  if (!read.ok || typeof read.value !== 'object' || read.value === null) throw new EngineReplyError();
  const reply = read.value as Readonly<Record<string, unknown>>;
  if (!('error' in reply)) return reply;
  const error = fromWire(reply.error);
  throw error === null || error.code === UNKNOWN_METHOD ? new EngineReplyError(error) : error;
}

function validated(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new EngineReplyError(parsed.error);
  return parsed.data;
}

/** Where an engine listens on this machine, and what lets one in. */
interface EngineAddress {
  readonly port: number;
  readonly token: string;
}

interface Post {
  readonly method: string;
  readonly input: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one request over a connection of its own: on loopback that costs next to nothing, and a reused connection that
 * is closed meanwhile would leave in doubt whether the engine got the request.
 *
 * @param address - without a token nothing secret is sent.
 * @returns the response, whose body is still to come.
 * @throws CancelledError, EngineUnreachableError, InvalidInputError for what is not JSON.
 */
export function post(
  { port, token }: Pick<EngineAddress, 'port'> & Partial<EngineAddress>,
  { method, input, signal }: Post,
): Promise<IncomingMessage> {
  const body = toJson(input);
  const headers = {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const options = { host: '127.0.0.1', port, path: `/v1/${method}`, method: 'POST', headers, agent: false };
  return new Promise((resolve, reject) => {
    let isSent = false;
    const sending = request({ ...options, ...(signal ? { signal } : {}) });
    sending.once('socket', (socket) =>
      socket.once('connect', () => {
        isSent = true;
      }),
    );
    sending.once('response', resolve);
    sending.once('error', (error) => reject(failureOf(error, { isSent, signal })));
    sending.end(body);
  });
}

/** The whole body. @throws as `post`. */
export async function textOf(response: IncomingMessage, signal?: AbortSignal): Promise<string> {
  let text = '';
  for await (const piece of decoded(response, signal)) text += piece;
  return text;
}

/** The body line by line, as it comes. @throws as `post`. */
async function* linesOf(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<string, void> {
  let rest: string[] = [];
  for await (const piece of decoded(response, signal)) {
    const [first = '', ...more] = piece.split('\n');
    rest.push(first);
    for (const next of more) {
      yield rest.join('');
      rest = [next];
    }
  }
}

async function* decoded(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of response) yield decoder.write(chunk as Buffer);
  } catch (error) {
    throw failureOf(error, { isSent: true, signal });
  }
}

function failureOf(
  error: unknown,
  { isSent, signal }: { readonly isSent: boolean; readonly signal: AbortSignal | undefined },
): Error {
  return signal?.aborted
    ? new CancelledError('what the engine acknowledged is stored', signal.reason)
    : new EngineUnreachableError(isSent, error);
}

function toJson(input: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(input));
  } catch (error) {
    throw new InvalidInputError('The request holds something that JSON cannot', error);
  }
}
