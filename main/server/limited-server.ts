import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { parseJson } from '../../src/util/parse-json.ts';
import { refusals } from './gatekeeper.ts';

/** A server of HTTP that does not listen yet and waits for slow clients no longer than the limits say. */
export function limitedServer(limits: ServerLimits, receive: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMilliseconds,
      requestTimeout: limits.requestMilliseconds,
      connectionsCheckingInterval: limits.checkMilliseconds,
    },
    receive,
  );
  server.maxConnections = limits.connections;
  return server;
}

/** What a server allows its clients; times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** Of one request, unpacked JSON. */
  readonly bodyBytes: number;
  /** Until all headers of a request are there. */
  readonly headersMilliseconds: number;
  /** Until all of a request is there. */
  readonly requestMilliseconds: number;
  /** How often the two are looked at. */
  readonly checkMilliseconds: number;
  /** How long a client may leave what waits for it unread. */
  readonly unreadMilliseconds: number;
  readonly connections: number;
  /** Requests that are worked on at once, streams among them. */
  readonly requests: number;
  /** Between two signs of life of a stream that has nothing to tell. */
  readonly heartbeatMilliseconds: number;
  /** How long work under way may still take once the server is to end. */
  readonly graceMilliseconds: number;
}

export const DEFAULT_LIMITS: ServerLimits = Object.freeze({
  bodyBytes: 32 * 2 ** 20,
  headersMilliseconds: 10_000,
  requestMilliseconds: 60_000,
  checkMilliseconds: 1_000,
  unreadMilliseconds: 30_000,
  connections: 256,
  requests: 128,
  heartbeatMilliseconds: 15_000,
  graceMilliseconds: 10_000,
});

/** The JSON of a request, of a bounded size. @throws RefusalError */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw refusals.size(mostBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > mostBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw refusals.brokenOff();
  }
  if (size > mostBytes) throw refusals.size(mostBytes);
  return toValue(Buffer.concat(chunks));
}

function toValue(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw refusals.json('it is not UTF-8');
  }
  const read = parseJson(text);
  if (!read.ok) throw refusals.json(read.reason);
  return read.value;
}
