import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MnemisError } from '../../src/errors/index.ts';
import { InvalidSettingError } from '../errors.ts';

/** The part of a request that stands before its body. */
interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Who may ask. The token keeps out other users of the machine and every program that cannot read the discovery file;
 * Host and Origin keep out pages in a browser, also those whose name was made to point here (DNS rebinding).
 */
export class Gatekeeper {
  readonly #token: string;
  readonly #origins: ReadonlySet<string>;

  /** @param origins - of pages that may ask as well, all on this machine. @throws InvalidSettingError for others. */
  constructor(token: string, origins: readonly string[] = []) {
    const foreign = origins.find((origin) => !isLoopback(origin));
    if (foreign !== undefined)
      throw new InvalidSettingError(
        'Only origins of this machine may be allowed, such as http://localhost:5173',
      );
    this.#token = token;
    this.#origins = new Set(origins);
  }

  /** Whether a page of this origin may ask; so may whoever names none, which a browser’s page cannot help. */
  allowsOrigin(origin: string | undefined): boolean {
    return origin === undefined || this.#origins.has(origin);
  }

  /** What is wrong with where a request comes from and goes to; null for nothing. */
  refuseSender({ headers }: RequestHead, port: number): RefusalError | null {
    const host = headers.host?.toLowerCase();
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusals.host();
    return this.allowsOrigin(headers.origin) ? null : refusals.origin();
  }

  /** What is wrong with the rest of a request's head; null for nothing. */
  refuseHead({ method, headers }: RequestHead, needsToken: boolean): RefusalError | null {
    if (needsToken && !this.#admits(headers.authorization)) return refusals.token();
    if (method !== 'POST') return refusals.method();
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    return type.trim().toLowerCase() === 'application/json' ? null : refusals.mediaType();
  }

  /** Shows that this server knows the token, without telling it. */
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

/** Of equal length whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.origin === origin && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** A request that the server does not carry out, with the HTTP status that says why. */
export class RefusalError extends MnemisError {
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super({ code, message: `${message}. Nothing was done.` });
    this.status = status;
  }
}

/** The engine takes no more requests. */
export const STOPPING = 'engine-stopping';
/** It took this one and did not finish it. */
const STOPPED = 'engine-stopped';

export const refusals = {
  method: () => new RefusalError(405, 'method-not-allowed', 'Requests are sent with POST'),
  path: () => new RefusalError(404, 'unknown-method', 'The engine has no such method'),
  host: () => new RefusalError(421, 'wrong-host', 'The request is meant for another host'),
  origin: () => new RefusalError(403, 'foreign-origin', 'Pages of this origin may not use the engine'),
  token: () => new RefusalError(401, 'unauthorized', 'The token is missing or wrong'),
  mediaType: () => new RefusalError(415, 'not-json', 'A request’s content type is application/json'),
  size: (bytes: number) =>
    new RefusalError(413, 'too-large', `A request has at most ${bytes} bytes; send it in parts`),
  json: (reason: string) => new RefusalError(400, 'invalid-json', `The request is not JSON: ${reason}`),
  brokenOff: () => new RefusalError(400, 'broken-off', 'The request was broken off'),
  busy: () => new RefusalError(503, 'engine-busy', 'The engine has too many requests at once; try again'),
  stopping: () => new RefusalError(503, STOPPING, 'The engine is being ended; start it again'),
  stopped: () =>
    new MnemisError({
      code: STOPPED,
      message: 'The engine was ended before this was done; what it acknowledged is stored. Ask again.',
    }),
} as const;
