import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidSettingError } from '../errors.ts';
import { type RefusalError, refusals } from './refusal-error.ts';

/** The part of a request that stands before its body. */
export interface RequestHead {
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
