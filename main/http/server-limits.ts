import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { parseJson } from '../../src/util/parse-json.ts';
import { refusals } from './loopback-access.ts';

/** Creates an HTTP server with timeouts for slow clients; it does not listen yet. */
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

/** Limits for clients; times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** The largest body of a request, as JSON. */
  readonly bodyBytes: number;
  /** Time to receive the headers of a request. */
  readonly headersMilliseconds: number;
  /** Time to receive a whole request. */
  readonly requestMilliseconds: number;
  /** Interval for checking the two timeouts above. */
  readonly checkMilliseconds: number;
  /** Time for which a client may leave pending output unread. */
  readonly unreadMilliseconds: number;
  readonly connections: number;
  /** The most requests at once, including streams. */
  readonly requests: number;
  /** Interval of empty lines that keep a quiet stream alive. */
  readonly heartbeatMilliseconds: number;
  /** Time for running requests to complete when the server stops. */
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

/** Reads a request's JSON of limited size. @throws RefusalError */
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
