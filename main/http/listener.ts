import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { InvalidSettingError } from '../errors.ts';
import type { HttpEnv } from './http-env.ts';
import { refusals } from './refusals.ts';
import type { ServerLimits } from './server-limits.ts';

interface ListenerOptions {
  readonly limits: ServerLimits;
  /** Default: this machine alone. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Time for which an idle connection stays open. Default: Node.js's. */
  readonly keepAliveMilliseconds?: number;
}

/** Serves an application, with limits for slow clients. */
export class HttpListener {
  readonly #http: Server;

  private constructor(http: Server) {
    this.#http = http;
  }

  /** @throws InvalidSettingError if the address is not available, with the system's error as its cause. */
  static async listen(
    app: Hono<HttpEnv>,
    { limits, host = '127.0.0.1', port = 0, keepAliveMilliseconds }: ListenerOptions,
  ): Promise<HttpListener> {
    const http = createServer(
      {
        headersTimeout: limits.headersMilliseconds,
        requestTimeout: limits.requestMilliseconds,
        connectionsCheckingInterval: limits.checkMilliseconds,
        ...(keepAliveMilliseconds !== undefined && { keepAliveTimeout: keepAliveMilliseconds }),
      },
      (incoming, outgoing) => {
        outgoing.on('error', () => undefined); // the client disconnected; `close` follows
        disconnectUnread(outgoing, limits.unreadMilliseconds);
        const target = incoming.url ?? '';
        incoming.url = '/'; // the adapter parses it, and refuses what it cannot parse
        const receive = getRequestListener(
          (request) => app.fetch(request, { incoming, outgoing, target } satisfies HttpEnv['Bindings']),
          { hostname: 'localhost', overrideGlobalObjects: false, autoCleanupIncoming: false, errorHandler },
        );
        void receive(incoming, outgoing);
      },
    );
    http.maxConnections = limits.connections;
    http.listen({ host, port, exclusive: true });
    try {
      await once(http, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new InvalidSettingError(`The port ${port} of ${host} is not available (${code})`, error);
    }
    return new HttpListener(http);
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Accepts no more connections, and disconnects all when requests have ended. */
  async close(endRequests: () => Promise<void>): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await endRequests();
    this.#http.closeAllConnections();
    await closed;
  }
}

/** The adapter refuses names of hosts that cannot be part of an address. */
function errorHandler(): Response {
  const { status, code, message } = refusals.host();
  return Response.json({ error: { code, message } }, { status, headers: { connection: 'close' } });
}

/** How often within its time a reply is looked at. */
const LOOKS = 4;

/** Disconnects a client that leaves what is sent to it unread, to bound the buffer. */
function disconnectUnread(response: ServerResponse, milliseconds: number): void {
  let looks = 0;
  const timer = setInterval(() => {
    const isUnread = response.writableNeedDrain || (response.writableEnded && !response.writableFinished);
    looks = isUnread ? looks + 1 : 0;
    if (looks > LOOKS) response.destroy();
  }, milliseconds / LOOKS).unref();
  response.on('drain', () => {
    looks = 0;
  });
  response.once('close', () => clearInterval(timer));
}
