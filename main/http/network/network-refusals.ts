import { RefusalError } from '../loopback-access.ts';

/** A request that may succeed later. */
export class LaterError extends RefusalError {
  /** In seconds. */
  readonly retryAfter: number;

  constructor(
    status: number,
    code: string,
    { message, retryAfter }: { message: string; retryAfter: number },
  ) {
    super(status, code, message);
    this.retryAfter = retryAfter;
  }
}

/** Rejected requests of `mnemis serve`, besides those of every server. None says whether a scope exists. */
export const serveRefusals = {
  token: () => new RefusalError(401, 'unauthorized', 'The token is missing, wrong, expired or revoked'),
  ended: () => new RefusalError(401, 'token-ended', 'The token was revoked or has expired meanwhile'),
  scope: () => new RefusalError(403, 'forbidden-scope', 'The token is not for this scope'),
  access: () => new RefusalError(403, 'forbidden-access', 'The token does not allow this method'),
  notServed: () => new RefusalError(403, 'not-served', 'This method is not offered over the network'),
  noScope: () =>
    new RefusalError(
      400,
      'scope-needed',
      'The token is for more than one scope; name one in the address: /mcp/<scope>',
    ),
  batch: () => new RefusalError(400, 'invalid-json', 'A request has one message, not a list of them'),
  origin: () => new RefusalError(403, 'foreign-origin', 'Pages of browsers may not use this server'),
  method: (methods: string) =>
    new RefusalError(405, 'method-not-allowed', `This address takes ${methods} requests`),
  path: () => new RefusalError(404, 'unknown-method', 'There is nothing at this address'),
  rate: (retryAfter: number) =>
    new LaterError(429, 'too-many-requests', {
      message: `The token has made too many requests; try again in ${retryAfter} s`,
      retryAfter,
    }),
  atOnce: () =>
    new LaterError(429, 'too-many-at-once', {
      message: 'The token has too many requests under way; let one end first',
      retryAfter: 1,
    }),
  unavailable: () =>
    new LaterError(503, 'unavailable', {
      message: 'Tokens cannot be checked at the moment; try again later',
      retryAfter: 5,
    }),
} as const;
