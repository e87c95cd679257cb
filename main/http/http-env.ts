import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import type { MnemisError } from '../../src/errors/index.ts';
import type { Outcome } from './network/audit-log.ts';
import type { Grant } from './network/grant.ts';
import type { Recording } from './network/recorder.ts';

export interface HttpEnv {
  Bindings: HttpBindings & {
    /** The address as the client sent it. */
    readonly target: string;
  };
  Variables: {
    /** Set by `RunningRequests.counting`. */
    running: RunningRequest;
    /** How a stream ended; null for a request whose calls are recorded on their own. */
    outcome: Promise<Outcome> | null | undefined;
    /** What the token allows, and what is recorded; of the network alone. */
    grant: Grant;
    recording: Recording;
  };
}
export type HttpContext = Context<HttpEnv>;
export type HttpMiddleware = MiddlewareHandler<HttpEnv>;

export interface RunningRequest {
  /** Aborted when the client disconnects, and by `end`, with what the client is to be told as its reason. */
  readonly signal: AbortSignal;
  /** Resolves when the connection has the reply, or is closed, and all work has ended. */
  readonly over: Promise<void>;
  /** Counts the request as running until this settles. */
  keep(work: Promise<unknown>): void;
  end(reason: MnemisError): void;
}
