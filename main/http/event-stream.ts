import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ServerLimits } from './server-limits.ts';

type WriterLimits = Pick<ServerLimits, 'unreadMilliseconds' | 'heartbeatMilliseconds'>;

/**
 * Writes a reply as lines of JSON, no faster than the client reads, and disconnects a client that does not read, to
 * bound the buffer. Empty lines keep a quiet stream alive.
 */
export class EventWriter {
  readonly #response: ServerResponse;
  readonly #limits: WriterLimits;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(response: ServerResponse, limits: WriterLimits) {
    this.#response = response;
    this.#limits = limits;
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    this.#heartbeat = setInterval(() => {
      if (!response.writableNeedDrain) response.write('\n');
    }, limits.heartbeatMilliseconds);
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  /** Resolves when the buffer has room, or the connection is closed. */
  async write(value: object): Promise<void> {
    if (this.#response.destroyed || this.#response.write(`${JSON.stringify(value)}\n`)) return;
    await this.#untilRead('drain');
  }

  async end(value: object): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#response.end(`${JSON.stringify(value)}\n`);
    await this.#untilRead('finish');
  }

  async #untilRead(event: 'drain' | 'finish'): Promise<void> {
    await untilRead(this.#response, event, this.#limits.unreadMilliseconds);
  }
}

/** Sends a whole reply. Resolves when it is written, or the connection is closed. */
export async function sendReply(
  response: ServerResponse,
  { status, value, unreadMilliseconds }: { status: number; value: object; unreadMilliseconds: number },
): Promise<void> {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.byteLength });
  response.end(body);
  await untilRead(response, 'finish', unreadMilliseconds);
}

async function untilRead(
  response: ServerResponse,
  event: 'drain' | 'finish',
  milliseconds: number,
): Promise<void> {
  if (response.destroyed || (event === 'finish' && response.writableFinished)) return;
  const stop = new AbortController();
  const timer = setTimeout(() => response.destroy(), milliseconds);
  try {
    const { signal } = stop;
    await Promise.race([once(response, event, { signal }), once(response, 'close', { signal })]);
  } catch {
    // Ignored: an error closes the connection, so there is no client to report it to.
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
