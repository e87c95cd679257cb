import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { MnemisError } from '../../src/errors/index.ts';
import { INTERNAL, toWire } from '../client/errors.ts';
import { readInput } from '../client/handlers.ts';
import { contract, isMethodName, type MemoryClient, type MethodName, PROTOCOL } from '../contract.ts';
import type { PageHost } from '../web/page-host.ts';
import { EventWriter, sendReply } from './event-writer.ts';
import { Gatekeeper, RefusalError, refusals } from './gatekeeper.ts';
import { DEFAULT_LIMITS, limitedServer, readBody, type ServerLimits } from './limited-server.ts';

export interface ServerOptions {
  /** The client that executes the requests. */
  readonly client: MemoryClient;
  readonly token: string;
  /** Origins of web pages on this machine that may also connect, such as `http://localhost:5173`. Default: none. */
  readonly origins?: readonly string[];
  /** The port to listen on. Default: a free one. */
  readonly port?: number;
  /** The app's page, served on the same origin; it may send requests. Default: none. */
  readonly page?: PageHost;
  readonly limits?: Partial<ServerLimits>;
  /** Receives the number of running requests whenever it changes. */
  readonly onActivity?: (requests: number) => void;
  /** Receives unexpected errors, which clients never see. */
  readonly onFailure?: (error: unknown) => void;
}

const helloSchema = z.strictObject({ nonce: z.string().min(16).max(200) });
const launchSchema = z.strictObject({ code: z.string().max(200) });
const PATH = /^\/v1\/([A-Za-z]{1,40})$/;
/** HTTP status by error code. Default 422: the request was valid and its execution failed. */
const STATUS: Readonly<Record<string, number>> = {
  'invalid-input': 400,
  'unknown-name': 400,
  [INTERNAL]: 500,
};

/** The contract over HTTP, only for programs on this machine. */
export class MemoryServer {
  readonly #options: ServerOptions;
  readonly #limits: ServerLimits;
  readonly #gate: Gatekeeper;
  readonly #http: Server;
  readonly #underWay = new Map<
    AbortController,
    { readonly isEndless: boolean; readonly work: Promise<void> }
  >();
  #isStopping = false;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#gate = new Gatekeeper(options.token, options.origins);
    this.#http = limitedServer(this.#limits, (request, response) => void this.#receive(request, response));
  }

  /** Listens on 127.0.0.1. Rejects with the system's error EADDRINUSE if the port is taken. */
  static async listen(options: ServerOptions): Promise<MemoryServer> {
    const server = new MemoryServer(options);
    server.#http.listen({ host: '127.0.0.1', port: options.port ?? 0, exclusive: true });
    await once(server.#http, 'listening');
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? 0;
  }

  /**
   * Stops accepting requests, ends endless streams, waits for the rest up to the grace period, then cancels it.
   * Resolves when no request runs.
   */
  async close(): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    for (const [controller, { isEndless }] of this.#underWay) if (isEndless) controller.abort();
    const stop = new AbortController();
    await Promise.race([
      this.#settled(),
      wait(this.#limits.graceMilliseconds, undefined, { signal: stop.signal }).catch(() => undefined),
    ]);
    stop.abort();
    for (const controller of this.#underWay.keys()) controller.abort();
    await this.#settled();
    this.#http.closeAllConnections();
    await closed;
  }

  async #settled(): Promise<void> {
    await Promise.all(Array.from(this.#underWay.values(), ({ work }) => work));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined); // the client disconnected; `close` follows
    const { origin } = request.headers;
    if (origin !== undefined && this.#gate.allowsOrigin(origin)) allowPage(response, origin);
    try {
      await this.#route(request, response);
    } catch (error) {
      await this.#reply(response, error);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { page } = this.#options;
    const refusal = this.#gate.refuseSender(request, { port: this.port, hasPage: page !== undefined });
    if (refusal !== null) throw refusal;
    const isForPage = (request.method === 'GET' || request.method === 'HEAD') && !isOfContract(request);
    if (page !== undefined && isForPage) return page.serve(request, response);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined)
      return void response.writeHead(204).end();
    const name = PATH.exec(request.url ?? '')?.[1] ?? '';
    const isLaunch = page !== undefined && name === 'launch';
    const problem = this.#gate.refuseHead(request, name !== 'hello' && !isLaunch);
    if (problem !== null) throw problem;
    if (this.#isStopping) throw refusals.stopping();
    if (name === 'hello') return this.#hello(request, response);
    if (isLaunch) return this.#launch(page, { request, response });
    if (page !== undefined && name === 'launchCode')
      return this.#send(response, 200, { result: { code: page.codes.issue() } });
    if (!isMethodName(name)) throw refusals.path();
    if (this.#underWay.size >= this.#limits.requests) throw refusals.busy();
    await this.#track(name, response, async (signal) => {
      const input = await readBody(request, this.#limits.bodyBytes);
      if (contract[name].kind === 'call') await this.#call(name, { input, signal, response });
      else await this.#stream(name, { input, signal, response });
    });
  }

  /** Lets a client verify the engine before it sends any data. */
  async #hello(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = helloSchema.safeParse(await readBody(request, 1_000));
    if (!parsed.success) throw refusals.json('it has no nonce');
    await this.#send(response, 200, {
      result: { protocol: PROTOCOL, proof: this.#gate.proofFor(parsed.data.nonce) },
    });
  }

  /** Gives the token to a page that was opened with a valid code. */
  async #launch(
    { codes }: PageHost,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const parsed = launchSchema.safeParse(await readBody(request, 1_000));
    if (!parsed.success) throw refusals.json('it has no code');
    if (!codes.redeem(parsed.data.code)) throw refusals.code();
    response.setHeader('cache-control', 'no-store');
    await this.#send(response, 200, { result: { token: this.#options.token } });
  }

  async #call(name: MethodName, { input, signal, response }: Job): Promise<void> {
    const run = this.#options.client[name] as (input: unknown, options: object) => Promise<unknown>;
    await this.#send(response, 200, { result: await run(input, { signal }) });
  }

  async #stream(name: MethodName, { input, signal, response }: Job): Promise<void> {
    const run = this.#options.client[name] as (input: unknown, options: object) => AsyncGenerator<unknown>;
    readInput(name, input); // before the status is sent, so that an invalid input can still set it
    const writer = new EventWriter(response, this.#limits);
    try {
      for await (const event of run(input, { signal })) {
        if (response.destroyed) break;
        await writer.write({ event });
      }
      await writer.end({ end: true });
    } catch (error) {
      await writer.end({ error: this.#describe(error) });
    }
  }

  /** Cancels the work when the client disconnects. */
  async #track(
    name: MethodName,
    response: ServerResponse,
    job: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const work = job(controller.signal).catch((error) => this.#reply(response, error));
    this.#underWay.set(controller, { isEndless: isEndless(name), work });
    this.#options.onActivity?.(this.#underWay.size);
    await work;
    this.#underWay.delete(controller);
    this.#options.onActivity?.(this.#underWay.size);
  }

  async #reply(response: ServerResponse, error: unknown): Promise<void> {
    const wire = this.#describe(error);
    const status = error instanceof RefusalError ? error.status : (STATUS[wire.code] ?? 422);
    if (response.destroyed || response.headersSent) return void response.destroy();
    response.setHeader('connection', 'close'); // the body may be unread
    await this.#send(response, status, { error: wire });
  }

  #describe(error: unknown) {
    if (this.#isStopping && MnemisError.isInstance(error) && error.code === 'cancelled')
      return toWire(refusals.stopped());
    const wire = toWire(error);
    if (wire.code === INTERNAL) this.#options.onFailure?.(error);
    return wire;
  }

  async #send(response: ServerResponse, status: number, value: object): Promise<void> {
    await sendReply(response, { status, value, unreadMilliseconds: this.#limits.unreadMilliseconds });
  }
}

interface Job {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly response: ServerResponse;
}

function isOfContract({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/v1/');
}

function isEndless(name: MethodName): boolean {
  const method = contract[name];
  return method.kind === 'stream' && method.isEndless;
}

function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-headers', 'authorization, content-type');
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader('vary', 'Origin');
}
