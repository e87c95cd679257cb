import type { Hono } from 'hono';
import { MnemisError } from '../../src/errors/index.ts';
import { readInput } from '../client/handlers.ts';
import { contract, isMethodName, type MemoryClient, type MethodName, type WireError } from '../contract.ts';
import type { HttpContext, HttpEnv, HttpMiddleware } from './http-env.ts';
import { OK, type Outcome } from './network/audit-log.ts';
import { readBody } from './read-body.ts';
import { RefusalError } from './refusals.ts';
import type { RunningRequests } from './running-requests.ts';
import type { ServerLimits } from './server-limits.ts';

interface ContractRoutes {
  /** The client that executes a request. Called before its body is read, so that it can refuse the request. */
  readonly clientOf: (context: HttpContext, name: MethodName) => MemoryClient;
  readonly running: RunningRequests;
  readonly limits: ServerLimits;
  readonly describe: (error: unknown) => WireError;
  /** What a request of an existing method has to pass, before it is counted. */
  readonly before?: readonly HttpMiddleware[];
  /** What it has to pass as a running request. */
  readonly after?: readonly HttpMiddleware[];
}

const PREFIX = '/v1/';

/** The name of the method that a request's address is for; null if there is none. */
export function methodIn({ req: { path } }: HttpContext): MethodName | null {
  const name = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : '';
  return isMethodName(name) ? name : null;
}

/** Adds a route for each method of the contract. Replies are JSON, streams are lines of JSON. */
export function addContract(
  app: Hono<HttpEnv>,
  { clientOf, running, limits, describe, before = [], after = [] }: ContractRoutes,
): void {
  for (const name of Object.keys(contract) as MethodName[]) {
    const method = contract[name];
    const isEndless = method.kind === 'stream' && method.isEndless;
    const answer = method.kind === 'call' ? answerCall : answerStream;
    const path = `${PREFIX}${name}`;
    app.use(path, ...before, running.counting(isEndless), ...after);
    app.all(path, async (context) => {
      try {
        const client = clientOf(context, name);
        const input = await readBody(context.env.incoming, limits.bodyBytes);
        return await answer(context, name, { client, input });
      } catch (error) {
        throw causeOf(error, context);
      }
    });
  }

  async function answerCall(context: HttpContext, name: MethodName, { client, input }: Asked) {
    const { signal } = context.var.running;
    const run = client[name] as (input: unknown, options: object) => Promise<unknown>;
    const result = await run(input, { signal });
    throwIfRefused(signal);
    return context.json({ result });
  }

  async function answerStream(context: HttpContext, name: MethodName, { client, input }: Asked) {
    const { signal } = context.var.running;
    const run = client[name] as (input: unknown, options: object) => AsyncGenerator<unknown>;
    // Both before the status is sent, so that what refuses the request can still set it. The client first: it may not
    // offer the method, whatever the input is.
    const events = run(input, { signal });
    readInput(name, input);
    const { body, outcome } = eventStream(events, {
      heartbeatMilliseconds: limits.heartbeatMilliseconds,
      describe: (error) => describe(causeOf(error, context)),
      check: () => throwIfRefused(signal),
    });
    context.set('outcome', outcome);
    context.var.running.keep(outcome);
    return context.body(body, 200, { 'content-type': 'application/x-ndjson' });
  }
}

interface Asked {
  readonly client: MemoryClient;
  readonly input: unknown;
}

/** The right to the reply may end while it is made. */
function throwIfRefused({ reason }: AbortSignal): void {
  if (reason instanceof RefusalError) throw reason;
}

/** Why a request failed: for the reason that it was ended, if there is one. */
function causeOf(error: unknown, context: HttpContext): unknown {
  const { reason } = context.var.running.signal;
  if (reason instanceof RefusalError) return reason;
  const isCancelled = MnemisError.isInstance(error) && error.code === 'cancelled';
  return isCancelled && MnemisError.isInstance(reason) ? reason : error;
}

interface EventStreamOptions {
  /** Interval of empty lines that keep a quiet stream alive. */
  readonly heartbeatMilliseconds: number;
  /** The part of an error that the client sees. */
  readonly describe: (error: unknown) => WireError;
  /** Throws if the stream has to end before its events do. */
  readonly check: () => void;
}

/** Events as lines of JSON, taken no faster than the client reads. The last line is an end or an error. */
function eventStream(
  events: AsyncGenerator<unknown>,
  { heartbeatMilliseconds, describe, check }: EventStreamOptions,
): { readonly body: ReadableStream<Uint8Array>; readonly outcome: Promise<Outcome> } {
  const encoder = new TextEncoder();
  const lineOf = (value: object) => encoder.encode(`${JSON.stringify(value)}\n`);
  let heartbeat: NodeJS.Timeout;
  let isLeft = false;
  let settle: (outcome: Outcome) => void;
  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const next = async () => {
    try {
      const { done, value } = await events.next();
      check();
      return done ? { last: { end: true }, outcome: OK } : { line: { event: value } };
    } catch (error) {
      void events.return(undefined).catch(() => undefined);
      const wire = describe(error);
      return { last: { error: wire }, outcome: wire.code };
    }
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode('\n'));
      }, heartbeatMilliseconds);
    },
    async pull(controller) {
      const step = await next();
      if (isLeft) return settle(step.outcome ?? 'cancelled');
      controller.enqueue(lineOf(step.last ?? step.line));
      if (step.last === undefined) return;
      clearInterval(heartbeat);
      controller.close();
      settle(step.outcome);
    },
    async cancel() {
      isLeft = true;
      clearInterval(heartbeat);
      await events.return(undefined).catch(() => undefined);
      settle('cancelled');
    },
  });
  return { body, outcome };
}
