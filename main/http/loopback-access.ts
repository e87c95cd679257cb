import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { InvalidSettingError } from '../errors.ts';
import type { HttpMiddleware } from './http-env.ts';
import { refusals } from './refusals.ts';

/**
 * Decides which requests of this machine are allowed. The token rejects other users of the machine and programs that
 * cannot read the discovery file; the Host and Origin checks reject web pages, including DNS rebinding.
 */
export class LoopbackAccess {
  readonly #token: string;
  readonly #origins: ReadonlySet<string>;

  /** @param origins - of pages that may also connect, all on this machine. @throws InvalidSettingError for others. */
  constructor(token: string, origins: readonly string[] = []) {
    const foreign = origins.find((origin) => !isLoopback(origin));
    if (foreign !== undefined)
      throw new InvalidSettingError(
        'Only origins of this machine may be allowed, such as http://localhost:5173',
      );
    this.#token = token;
    this.#origins = new Set(origins);
  }

  /** Lets browsers read replies to pages that may connect. */
  get sharing(): HttpMiddleware {
    return async (context, next) => {
      const { origin } = context.env.incoming.headers;
      if (origin !== undefined && this.#origins.has(origin)) {
        context.header('access-control-allow-origin', origin);
        context.header('access-control-allow-headers', 'authorization, content-type');
        context.header('access-control-allow-methods', 'POST');
        context.header('vary', 'Origin');
      }
      await next();
    };
  }

  /**
   * Rejects requests for other hosts, and those of pages that may not connect. A request without an origin is no page's:
   * browsers always send it. A server with a page allows its own origin.
   */
  fromHere({ hasPage = false } = {}): HttpMiddleware {
    return async ({ env: { incoming } }, next) => {
      const { host = '', origin } = incoming.headers;
      const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${incoming.socket.localPort}`);
      if (!names.includes(host.toLowerCase())) throw refusals.host();
      const isOwn = hasPage && origin === `http://${host.toLowerCase()}`;
      if (origin !== undefined && !isOwn && !this.#origins.has(origin)) throw refusals.origin();
      await next();
    };
  }

  /** Rejects requests without the token, except for these addresses. */
  withToken(open: readonly string[] = []): HttpMiddleware {
    return async ({ req, env }, next) => {
      if (!open.includes(req.path) && !this.#admits(env.incoming.headers.authorization))
        throw refusals.token();
      await next();
    };
  }

  #admits(authorization = ''): boolean {
    const [scheme, given = '', ...more] = authorization.split(' ');
    const isEqual = timingSafeEqual(digest(given), digest(this.#token));
    return isEqual && scheme?.toLowerCase() === 'bearer' && more.length === 0;
  }
}

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashed to equal length, for a comparison in constant time. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.origin === origin && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host to listen on, or of an address, is this machine alone. Other names may be anything. */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  if (version === 0) return address.toLowerCase() === 'localhost';
  return LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Whether an address is that of a page over TLS, or of this machine. Without TLS a token could be read on the way, and browsers give a page less than the app needs. */
export function isSecureOrigin(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.origin !== address) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}
