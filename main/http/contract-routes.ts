import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { MnemisError } from '../../src/errors/index.ts';
import { INTERNAL, toWire } from '../client/errors.ts';
import { readInput } from '../client/handlers.ts';
import { contract, type MemoryClient, type MethodName, type WireError } from '../contract.ts';
import { EventWriter, sendReply } from './event-stream.ts';
import { RefusalError, refusals } from './loopback-access.ts';
import { readBody, type ServerLimits } from './server-limits.ts';

export interface ContractRequestsOptions {
  readonly limits: ServerLimits;
  /** Receives the number of running requests whenever it changes. */
  readonly onActivity?: ((requests: number) => void) | undefined;
  /** Receives unexpected errors, which clients never see. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A request of the contract that was let in. */
export interface ContractRequest {
  readonly client: MemoryClient;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends the request, with a `RefusalError` as its reason. */
  readonly ended?: AbortSignal;
}

/** How a request ended: `ok`, or the code of its error. */
export type Outcome = string;
export const OK: Outcome = 'ok';

const PATH = /^\/v1\/([A-Za-z]{1,40})$/;
/** HTTP status by error code. Default 422: the request was valid and its execution failed. */
const STATUS: Readonly<Record<string, number>> = {
  'invalid-input': 400,
  'unknown-name': 400,
  [INTERNAL]: 500,
};

/** The name of the method that a request's address is for, which may be none of the contract. */
export function methodIn({ url = '' }: IncomingMessage): string {
  return PATH.exec(url)?.[1] ?? '';
}

/** Runs the requests of the contract that an HTTP server has let in, and replies to them. */
export class ContractRequests {
  readonly #options: ContractRequestsOptions;
  readonly #limits: ServerLimits;
  readonly #underWay = new Map<
    AbortController,
    { readonly isEndless: boolean; readonly work: Promise<unknown> }
  >();
  #isStopping = false;

  constructor(options: ContractRequestsOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  get count(): number {
    return this.#underWay.size;
  }

  /** Accepts no more requests, and ends endless streams. */
  stop(): void {
    this.#isStopping = true;
    for (const [controller, { isEndless }] of this.#underWay) if (isEndless) controller.abort();
  }

  /** Stops, waits for running requests up to the grace period, then cancels them. Resolves when none runs. */
  async close(): Promise<void> {
    this.stop();
    const stop = new AbortController();
    await Promise.race([
      this.#settled(),
      wait(this.#limits.graceMilliseconds, undefined, { signal: stop.signal }).catch(() => undefined),
    ]);
    stop.abort();
    for (const controller of this.#underWay.keys()) controller.abort();
    await this.#settled();
  }

  /** @throws RefusalError while the server stops. */
  refuseIfStopping(): void {
    if (this.#isStopping) throw refusals.stopping();
  }

  /** Carries out one request, and cancels its work when the client disconnects. @throws RefusalError if there are too many. */
  async run(name: MethodName, { client, request, response, ended }: ContractRequest): Promise<Outcome> {
    if (this.#underWay.size >= this.#limits.requests) throw refusals.busy();
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const signal = ended === undefined ? controller.signal : AbortSignal.any([controller.signal, ended]);
    const work = this.#carryOut(name, { client, request, response, signal, ended });
    this.#underWay.set(controller, { isEndless: isEndless(name), work });
    this.#options.onActivity?.(this.#underWay.size);
    const outcome = await work;
    this.#underWay.delete(controller);
    this.#options.onActivity?.(this.#underWay.size);
    return outcome;
  }

  /** Replies with an error; disconnects a client that has part of another reply. */
  async refuse(response: ServerResponse, error: unknown): Promise<Outcome> {
    return this.#reply(response, { error, wire: this.#describe(error) });
  }

  async send(response: ServerResponse, status: number, value: object): Promise<void> {
    await sendReply(response, { status, value, unreadMilliseconds: this.#limits.unreadMilliseconds });
  }

  async #carryOut(name: MethodName, job: Job): Promise<Outcome> {
    const { request, response } = job;
    try {
      const input = await readBody(request, this.#limits.bodyBytes);
      return await (contract[name].kind === 'call'
        ? this.#call(name, input, job)
        : this.#stream(name, input, job));
    } catch (caught) {
      const error = job.ended?.aborted ? job.ended.reason : caught;
      return this.#reply(response, { error, wire: this.#describe(error) });
    }
  }

  async #call(name: MethodName, input: unknown, { client, signal, ended, response }: Job): Promise<Outcome> {
    const run = client[name] as (input: unknown, options: object) => Promise<unknown>;
    const result = await run(input, { signal });
    ended?.throwIfAborted();
    await this.send(response, 200, { result });
    return OK;
  }

  async #stream(name: MethodName, input: unknown, job: Job): Promise<Outcome> {
    const { client, signal, ended, response } = job;
    const run = client[name] as (input: unknown, options: object) => AsyncGenerator<unknown>;
    // Both before the status is sent, so that what refuses the request can still set it. The client first: it may not
    // offer the method, whatever the input is.
    const events = run(input, { signal });
    readInput(name, input);
    const writer = new EventWriter(response, this.#limits);
    try {
      for await (const event of events) {
        ended?.throwIfAborted();
        if (response.destroyed) break;
        await writer.write({ event });
      }
      ended?.throwIfAborted();
      await writer.end({ end: true });
      return OK;
    } catch (caught) {
      const wire = this.#describe(ended?.aborted ? ended.reason : caught);
      await writer.end({ error: wire });
      return wire.code;
    }
  }

  async #settled(): Promise<void> {
    await Promise.all(Array.from(this.#underWay.values(), ({ work }) => work));
  }

  async #reply(
    response: ServerResponse,
    { error, wire }: { readonly error: unknown; readonly wire: WireError },
  ): Promise<Outcome> {
    const status = error instanceof RefusalError ? error.status : (STATUS[wire.code] ?? 422);
    if (response.destroyed || response.headersSent) response.destroy();
    else {
      response.setHeader('connection', 'close'); // the body may be unread
      await this.send(response, status, { error: wire });
    }
    return wire.code;
  }

  #describe(error: unknown): WireError {
    if (this.#isStopping && MnemisError.isInstance(error) && error.code === 'cancelled')
      return toWire(refusals.stopped());
    const wire = toWire(error);
    if (wire.code === INTERNAL) this.#options.onFailure?.(error);
    return wire;
  }
}

interface Job extends Omit<ContractRequest, 'ended'> {
  readonly signal: AbortSignal;
  readonly ended: AbortSignal | undefined;
}

function isEndless(name: MethodName): boolean {
  const method = contract[name];
  return method.kind === 'stream' && method.isEndless;
}
