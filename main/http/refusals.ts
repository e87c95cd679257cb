import { MnemisError } from '../../src/errors/index.ts';

/** A rejected request, with its HTTP status. */
export class RefusalError extends MnemisError {
  readonly status: number;
  /** Seconds after which the request may succeed; null if it will not. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    code: string,
    { message, retryAfter = null }: { readonly message: string; readonly retryAfter?: number | null },
  ) {
    super({ code, message: `${message}. Nothing was done.` });
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The engine is stopping and accepts no requests. */
export const STOPPING = 'engine-stopping';
/** The engine stopped before it completed the request. */
export const STOPPED = 'engine-stopped';
/** The request has no valid token. */
export const UNAUTHORIZED = 'unauthorized';

/** Rejected requests of all servers. None says whether a scope exists. */
export const refusals = {
  method: (methods: string) => refusal(405, 'method-not-allowed', `This address takes ${methods} requests`),
  path: () => refusal(404, 'unknown-method', 'There is no such method'),
  host: () => refusal(421, 'wrong-host', 'The request names another host'),
  origin: () => refusal(403, 'foreign-origin', 'Pages of this origin may not use this server'),
  token: () => refusal(401, UNAUTHORIZED, 'The token is missing, wrong, expired or revoked'),
  tokenEnded: () => refusal(401, 'token-ended', 'The token was revoked or has expired meanwhile'),
  code: () =>
    refusal(
      401,
      'launch-code',
      'This link was used before or is older than a minute; "mnemis app" opens a new one',
    ),
  scope: () => refusal(403, 'forbidden-scope', 'The token is not for this scope'),
  access: () => refusal(403, 'forbidden-access', 'The token does not allow this method'),
  notServed: () => refusal(403, 'not-served', 'This method is not offered over the network'),
  noScope: () =>
    refusal(
      400,
      'scope-needed',
      'The token is for more than one scope; name one in the address: /mcp/<scope>',
    ),
  mediaType: () => refusal(415, 'not-json', 'A request’s content type is application/json'),
  size: (bytes: number) =>
    refusal(413, 'too-large', `A request has at most ${bytes} bytes; send it in parts`),
  json: (reason: string) => refusal(400, 'invalid-json', `The request is not JSON: ${reason}`),
  batch: () => refusal(400, 'invalid-json', 'A request has one message, not a list of them'),
  brokenOff: () => refusal(400, 'broken-off', 'The request was interrupted'),
  session: () => refusal(404, 'unknown-session', 'There is no such session; start a new one'),
  sessions: (most: number) =>
    refusal(
      503,
      'too-many-sessions',
      `All ${most} sessions of this server have a client that is connected; disconnect one, then try again`,
    ),
  rate: (retryAfter: number) =>
    new RefusalError(429, 'too-many-requests', {
      message: `The token has made too many requests; try again in ${retryAfter} s`,
      retryAfter,
    }),
  atOnce: () =>
    new RefusalError(429, 'too-many-at-once', {
      message: 'The token has too many requests under way; let one end first',
      retryAfter: 1,
    }),
  unavailable: () =>
    new RefusalError(503, 'unavailable', {
      message: 'Tokens cannot be checked at the moment; try again later',
      retryAfter: 5,
    }),
  busy: () => refusal(503, 'engine-busy', 'The engine has too many requests at once; try again'),
  stopping: () => refusal(503, STOPPING, 'The engine is stopping; start it again'),
  stopped: () =>
    new MnemisError({
      code: STOPPED,
      message: 'The engine stopped before this was done; everything it acknowledged is stored. Try again.',
    }),
} as const;

function refusal(status: number, code: string, message: string): RefusalError {
  return new RefusalError(status, code, { message });
}
