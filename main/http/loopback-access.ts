import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MnemisError } from '../../src/errors/index.ts';
import { InvalidSettingError } from '../errors.ts';

/** The head of a request. */
interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Decides which requests are allowed. The token rejects other users of the machine and programs that cannot read the
 * discovery file; the Host and Origin checks reject web pages, including DNS rebinding.
 */
export class Gatekeeper {
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

  /** Whether this origin is allowed. A request without one is: browsers always send it for pages. */
  allowsOrigin(origin: string | undefined): boolean {
    return origin === undefined || this.#origins.has(origin);
  }

  /** Checks the request's host and origin; null if they are allowed. A server with a page allows its own origin. */
  refuseSender(
    { headers }: RequestHead,
    { port, hasPage = false }: { readonly port: number; readonly hasPage?: boolean },
  ): RefusalError | null {
    const host = headers.host?.toLowerCase();
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusals.host();
    const isOwn = hasPage && headers.origin === `http://${host}`;
    return isOwn || this.allowsOrigin(headers.origin) ? null : refusals.origin();
  }

  /** Checks the rest of the request's head; null if it is valid. */
  refuseHead({ method, headers }: RequestHead, needsToken: boolean): RefusalError | null {
    if (needsToken && !this.#admits(headers.authorization)) return refusals.token();
    if (method !== 'POST') return refusals.method();
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    return type.trim().toLowerCase() === 'application/json' ? null : refusals.mediaType();
  }

  /** Proves that this server knows the token, without revealing it. */
  proofFor(nonce: string): string {
    return proofOf(this.#token, nonce);
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

export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(nonce).digest('hex');
}

/** Hashed to equal length, for a comparison in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.origin === origin && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** A rejected request, with its HTTP status. */
export class RefusalError extends MnemisError {
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super({ code, message: `${message}. Nothing was done.` });
    this.status = status;
  }
}

/** The engine is stopping and accepts no requests. */
export const STOPPING = 'engine-stopping';
/** The engine stopped before it completed the request. */
export const STOPPED = 'engine-stopped';

export const refusals = {
  method: () => new RefusalError(405, 'method-not-allowed', 'Requests are sent with POST'),
  path: () => new RefusalError(404, 'unknown-method', 'The engine has no such method'),
  host: () => new RefusalError(421, 'wrong-host', 'The request names another host'),
  origin: () => new RefusalError(403, 'foreign-origin', 'Pages of this origin may not use the engine'),
  token: () => new RefusalError(401, 'unauthorized', 'The token is missing or wrong'),
  code: () =>
    new RefusalError(
      401,
      'launch-code',
      'This link was used before or is older than a minute; "mnemis app" opens a new one',
    ),
  mediaType: () => new RefusalError(415, 'not-json', 'A request’s content type is application/json'),
  size: (bytes: number) =>
    new RefusalError(413, 'too-large', `A request has at most ${bytes} bytes; send it in parts`),
  json: (reason: string) => new RefusalError(400, 'invalid-json', `The request is not JSON: ${reason}`),
  brokenOff: () => new RefusalError(400, 'broken-off', 'The request was interrupted'),
  busy: () => new RefusalError(503, 'engine-busy', 'The engine has too many requests at once; try again'),
  stopping: () => new RefusalError(503, STOPPING, 'The engine is stopping; start it again'),
  stopped: () =>
    new MnemisError({
      code: STOPPED,
      message: 'The engine stopped before this was done; everything it acknowledged is stored. Try again.',
    }),
} as const;
