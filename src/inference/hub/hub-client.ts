import {
  HubRefusalError,
  HubUnavailableError,
  InvalidInputError,
  ModelAccessError,
} from '../../errors/index.ts';
import { isServerAddress } from '../../util/server-address.ts';
import { readRetryAfter } from '../retry-after.ts';

const MOST_REDIRECTS = 8;
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const LONGEST_WAIT = 120_000;
/** System codes of requests that never connected. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export interface HubClientOptions {
  /** Address before `/{repository}/…`. */
  readonly baseUrl: string;
  readonly fetch?: typeof fetch;
  /** Sent to the base address’s own origin only, and only encrypted or to this machine. */
  readonly token?: string | undefined;
}

interface HubReply {
  readonly response: Response;
  /** The commit that the first reply names; later replies of a redirect name none. */
  readonly commit: string | null;
}

interface HubRequest {
  readonly what: string;
  readonly repository: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** GET requests to a hub. Follows redirects itself, so that no other host gets the token; failures are typed errors. */
export class HubClient {
  readonly #base: URL;
  readonly #fetch: typeof fetch;
  readonly #token: string | undefined;

  constructor({ baseUrl, fetch: fetchLike = globalThis.fetch, token }: HubClientOptions) {
    if (!isServerAddress(baseUrl))
      throw new InvalidInputError(
        'A hub’s address must be an http or https URL without a user name, a password or a query',
      );
    this.#base = new URL(baseUrl);
    this.#fetch = fetchLike;
    this.#token = parseToken(token);
  }

  async get(path: string, request: HubRequest): Promise<HubReply> {
    let url = new URL(`${this.#base.href.replace(/\/$/, '')}/${path}`);
    let commit: string | null = null;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      const response = await this.#send(url, request);
      commit ??= response.headers.get('x-repo-commit');
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null)
        return { response: await accepted(response, request), commit };
      await response.body?.cancel();
      url = nextAddress(url, location, request.what);
    }
    throw new HubRefusalError(`${request.what} is redirected without end`);
  }

  async #send(url: URL, { what, headers, signal }: HubRequest): Promise<Response> {
    try {
      return await this.#fetch(url, {
        redirect: 'manual',
        signal,
        headers: { 'accept-encoding': 'identity', ...headers, ...this.#authorization(url) },
      });
    } catch (cause) {
      const code = systemCode(cause);
      const reason = code === null ? '' : ` (${code})`;
      const unreachable = code !== null && UNREACHABLE.has(code);
      throw new HubUnavailableError(`${url.host} could not be reached for ${what}${reason}`, {
        unreachable,
        cause,
      });
    }
  }

  #authorization(url: URL): Record<string, string> {
    const safe = url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    if (this.#token === undefined || url.origin !== this.#base.origin || !safe) return {};
    return { authorization: `Bearer ${this.#token}` };
  }
}

/** Refuses what no header can carry: the error message of `fetch` would quote the token. */
function parseToken(text: string | undefined): string | undefined {
  const token = text?.trim();
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new InvalidInputError('The token for the hub (HF_TOKEN) must be of ASCII characters without spaces');
}

function nextAddress(from: URL, location: string, what: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const unsafe = next !== null && from.protocol === 'https:' && next.protocol !== 'https:';
  if (next === null || unsafe || !/^https?:$/.test(next.protocol))
    throw new HubRefusalError(`${what} is redirected to an address that cannot be used`);
  return next;
}

async function accepted(response: Response, { what, repository }: HubRequest): Promise<Response> {
  const { status } = response;
  // The caller handles 416: its part does not belong to this file.
  if (response.ok || status === 416) return response;
  await response.body?.cancel();
  if (status === 401 || status === 403) throw new ModelAccessError(repository, status);
  if (TEMPORARY.has(status))
    throw new HubUnavailableError(`The hub failed on ${what} (HTTP ${status})`, {
      retryAfter: Math.min(readRetryAfter(response.headers, Date.now) ?? 0, LONGEST_WAIT),
    });
  if (status === 404) throw new HubRefusalError(`The hub does not have ${what}`);
  throw new HubRefusalError(`The hub refused ${what} (HTTP ${status})`);
}

/** The system’s code, such as ECONNREFUSED; never the message, which may contain the address with its query. */
function systemCode(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z0-9_]+$/.test(code) ? code : null;
}
