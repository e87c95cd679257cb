import { MnemisError } from '../../src/errors/index.ts';

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
