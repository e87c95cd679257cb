import { createServer, type RequestListener, type Server } from 'node:http';
import type { ServerLimits } from './limits.ts';

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
