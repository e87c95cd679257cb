import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { isMethodName, type MemoryClient, PROTOCOL } from '../contract.ts';
import { ContractRequests, methodIn } from './contract-routes.ts';
import { Gatekeeper, refusals } from './loopback-access.ts';
import type { PageHost } from './page/page-routes.ts';
import { DEFAULT_LIMITS, limitedServer, readBody, type ServerLimits } from './server-limits.ts';

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

/** The contract over HTTP, only for programs on this machine. */
export class MemoryServer {
  readonly #options: ServerOptions;
  readonly #gate: Gatekeeper;
  readonly #http: Server;
  readonly #requests: ContractRequests;

  private constructor(options: ServerOptions) {
    this.#options = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { onActivity, onFailure } = options;
    this.#requests = new ContractRequests({ limits, onActivity, onFailure });
    this.#gate = new Gatekeeper(options.token, options.origins);
    this.#http = limitedServer(limits, (request, response) => void this.#receive(request, response));
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
    this.#requests.stop();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await this.#requests.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined); // the client disconnected; `close` follows
    const { origin } = request.headers;
    if (origin !== undefined && this.#gate.allowsOrigin(origin)) allowPage(response, origin);
    try {
      await this.#route(request, response);
    } catch (error) {
      await this.#requests.refuse(response, error);
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
    const name = methodIn(request);
    const isLaunch = page !== undefined && name === 'launch';
    const problem = this.#gate.refuseHead(request, name !== 'hello' && !isLaunch);
    if (problem !== null) throw problem;
    this.#requests.refuseIfStopping();
    if (name === 'hello') return this.#hello(request, response);
    if (isLaunch) return this.#launch(page, { request, response });
    if (page !== undefined && name === 'launchCode')
      return this.#requests.send(response, 200, { result: { code: page.codes.issue() } });
    if (!isMethodName(name)) throw refusals.path();
    await this.#requests.run(name, { client: this.#options.client, request, response });
  }

  /** Lets a client verify the engine before it sends any data. */
  async #hello(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = helloSchema.safeParse(await readBody(request, 1_000));
    if (!parsed.success) throw refusals.json('it has no nonce');
    await this.#requests.send(response, 200, {
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
    await this.#requests.send(response, 200, { result: { token: this.#options.token } });
  }
}

function isOfContract({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/v1/');
}

function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-headers', 'authorization, content-type');
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader('vary', 'Origin');
}
