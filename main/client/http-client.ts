import type { z } from 'zod';
import { parseJson } from '../../src/util/parse-json.ts';
import { contract, type MemoryClient, type RequestOptions } from '../contract.ts';
import { EngineReplyError } from './engine-reply-error.ts';
import { EngineUnreachableError } from './engine-unreachable-error.ts';
import { checked, type Handlers } from './handlers.ts';
import { type EngineAddress, linesOf, type Post, post, textOf } from './http-post.ts';
import { fromWire } from './wire-error.ts';

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
  const text = await textOf(await post(address, request), request.signal);
  const reply = readReply(text);
  return validated(output, reply.result);
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

/** An engine of before, which lacks a method that has come since. */
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
