import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { INTERNAL, toWire } from '../client/errors.ts';
import type { WireError } from '../contract.ts';
import type { HttpEnv, HttpMiddleware } from './http-env.ts';
import { RefusalError, refusals, UNAUTHORIZED } from './refusals.ts';

/** HTTP status by error code. Default 422: the request was valid and its execution failed. */
const STATUS: Readonly<Record<string, number>> = {
  'invalid-input': 400,
  'unknown-name': 400,
  [INTERNAL]: 500,
};

interface ApplicationOptions {
  readonly describe: (error: unknown) => WireError;
  /** The reply with an error. Default: as in the contract. */
  readonly errorReply?: (error: WireError) => object;
}

/**
 * An application that answers each error with its status and code. Routes are matched against the address as it was
 * sent: a parsed one would have many spellings, such as `/x/../v1/health`.
 */
export function httpApplication({
  describe,
  errorReply = (error) => ({ error }),
}: ApplicationOptions): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({
    getPath: (_, options) => {
      const { target } = (options as { readonly env: HttpEnv['Bindings'] }).env;
      return target.startsWith('/') ? target : `/${target}`;
    },
  });
  app.onError((error, context) => {
    const { outgoing } = context.env;
    if (outgoing.destroyed || outgoing.headersSent) {
      outgoing.destroy(); // the client has part of another reply
      return RESPONSE_ALREADY_SENT;
    }
    const wire = describe(error);
    context.header('connection', 'close'); // the body may be unread
    if (wire.code === UNAUTHORIZED) context.header('www-authenticate', 'Bearer');
    const isRefusal = error instanceof RefusalError;
    if (isRefusal && error.retryAfter !== null) context.header('retry-after', String(error.retryAfter));
    const status = isRefusal ? error.status : (STATUS[wire.code] ?? 422);
    return context.json(errorReply(wire), status as ContentfulStatusCode);
  });
  return app;
}

/** Describes errors for clients. @param onFailure - receives unexpected ones, which clients never see. */
export function describing(onFailure?: (error: unknown) => void): (error: unknown) => WireError {
  return (error) => {
    const wire = toWire(error);
    if (wire.code === INTERNAL) onFailure?.(error);
    return wire;
  };
}

/** The last route: nothing is at this address. */
export const nothingHere: HttpMiddleware = async () => {
  throw refusals.path();
};

/** Rejects what is not a POST request with JSON. */
export const jsonPosts: HttpMiddleware = async ({ env: { incoming } }, next) => {
  if (incoming.method !== 'POST') throw refusals.method('POST');
  const [type = ''] = (incoming.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') throw refusals.mediaType();
  await next();
};
