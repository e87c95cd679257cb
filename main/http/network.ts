import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../src/engine/engine-context.ts';
import { MnemisError } from '../../src/errors/index.ts';
import { INTERNAL } from '../client/errors.ts';
import { isMethodName, type MemoryClient, type MethodName } from '../contract.ts';
import { InvalidSettingError } from '../errors.ts';
import type { MemoryServerOptions } from '../mcp/server-options.ts';
import { ContractRequests, methodIn, OK, type Outcome } from './contract-routes.ts';
import { refusals } from './loopback-access.ts';
import type { AuditLog } from './network/audit-log.ts';
import type { Authenticator } from './network/authenticator.ts';
import { covers, type Grant, onlyScope } from './network/grant.ts';
import { guardedClient } from './network/guarded-client.ts';
import { type LiveRequest, LiveRequests } from './network/live-requests.ts';
import { answerMcp } from './network/mcp-requests.ts';
import { ruleOf } from './network/method-rules.ts';
import { LaterError, serveRefusals } from './network/network-refusals.ts';
import { RateLimits } from './network/rate-limits.ts';
import { Readiness } from './network/readiness.ts';
import { Recorder, type Recording, type Tracing } from './network/recorder.ts';
import { ServerMetrics } from './network/server-metrics.ts';
import { DEFAULT_LIMITS, limitedServer, readBody, type ServerLimits } from './server-limits.ts';

/** Limits for clients of the network. */
export interface NetworkLimits extends ServerLimits {
  /** The most requests of one token a minute. */
  readonly requestsPerMinute: number;
  /** The most requests of one token at once, streams included. */
  readonly requestsOfToken: number;
  /** Interval in which the tokens of running requests are checked again. */
  readonly recheckMilliseconds: number;
  /** Time between "not ready" and the end of accepting requests, for load balancers to notice. */
  readonly drainMilliseconds: number;
  /** Time for the store to answer a check of readiness. */
  readonly readyMilliseconds: number;
}

export const NETWORK_LIMITS: NetworkLimits = Object.freeze({
  ...DEFAULT_LIMITS,
  bodyBytes: 8 * 2 ** 20,
  connections: 1_024,
  requests: 256,
  requestsPerMinute: 600,
  requestsOfToken: 32,
  recheckMilliseconds: 2_000,
  drainMilliseconds: 5_000,
  readyMilliseconds: 3_000,
});

/** Longer than the pause after which proxies close connections, which is 60 s for most: they then never reuse a closed one. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
/** A scope that nobody has: to ask the store for a turn of it costs least, however many scopes there are. */
const READINESS_SCOPE = 'mnemis readiness check';
const MCP = /^\/mcp(?:\/([^/?#]{1,1000}))?$/;

export interface NetworkServerOptions {
  /** The client that executes the requests. */
  readonly client: MemoryClient;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  /** The address to listen on. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Options of MCP's tools. The scope and the rights come from the token. */
  readonly mcp?: Omit<MemoryServerOptions, 'scope' | 'readOnly' | 'confirmationKey' | 'logger'>;
  readonly tracing?: Tracing | undefined;
  /** Whether the metrics include figures of the process. Default false. */
  readonly measuresProcess?: boolean;
  readonly limits?: Partial<NetworkLimits>;
  readonly logger: Logger;
  /** Receives unexpected errors, which clients never see. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * The contract and MCP over HTTP for other machines, by bearer tokens that are bound to scopes. It holds nothing between
 * requests that another process would need, so several may stand behind one address. TLS is the business of a proxy.
 */
export class NetworkServer {
  readonly #options: NetworkServerOptions;
  readonly #limits: NetworkLimits;
  readonly #http: Server;
  readonly #requests: ContractRequests;
  readonly #live: LiveRequests;
  readonly #rates: RateLimits;
  readonly #readiness: Readiness;
  readonly #metrics: ServerMetrics;
  readonly #recorder: Recorder;
  readonly #mcpRunning = new Map<AbortController, Promise<unknown>>();
  #isClosing = false;

  private constructor(options: NetworkServerOptions) {
    this.#options = options;
    const limits = { ...NETWORK_LIMITS, ...options.limits };
    this.#limits = limits;
    const { client, authenticator, audit, tracing, onFailure } = options;
    this.#requests = new ContractRequests({ limits, onFailure });
    const { requestsOfToken: most, recheckMilliseconds } = limits;
    this.#live = new LiveRequests({ authenticator, most, recheckMilliseconds });
    this.#rates = new RateLimits(limits.requestsPerMinute);
    this.#readiness = new Readiness({
      ask: (signal) => client.episodes({ scope: READINESS_SCOPE, ids: ['none'] }, { signal }),
      mostMilliseconds: limits.readyMilliseconds,
    });
    this.#metrics = new ServerMetrics({
      running: () => this.#live.count,
      isReady: () => !this.#isClosing && this.#readiness.last,
    });
    if (options.measuresProcess === true) this.#metrics.addProcess();
    this.#recorder = new Recorder({ audit, metrics: this.#metrics, tracing });
    this.#http = limitedServer(limits, (request, response) => void this.#receive(request, response));
    this.#http.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  }

  /** @throws InvalidSettingError if the address is not available. */
  static async listen(options: NetworkServerOptions): Promise<NetworkServer> {
    const { host, port } = options;
    const server = new NetworkServer(options);
    server.#http.listen({ host, port, exclusive: true });
    try {
      await once(server.#http, 'listening');
    } catch (error) {
      server.#live.close();
      const { code } = error as NodeJS.ErrnoException;
      throw new InvalidSettingError(`The port ${port} of ${host} is not available (${code})`, error);
    }
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? 0;
  }

  /**
   * Turns not ready, goes on for a moment, then accepts no more requests, ends endless streams, and gives the rest the
   * grace period before it cancels them. Resolves when no request runs.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    await wait(this.#limits.drainMilliseconds);
    this.#requests.stop();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await Promise.all([this.#requests.close(), this.#closeMcp()]);
    this.#live.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #closeMcp(): Promise<void> {
    const settled = Promise.all(this.#mcpRunning.values());
    const stop = new AbortController();
    const { signal } = stop;
    await Promise.race([
      settled,
      wait(this.#limits.graceMilliseconds, undefined, { signal }).catch(() => undefined),
    ]);
    stop.abort();
    for (const controller of this.#mcpRunning.keys()) controller.abort(refusals.stopped());
    await settled;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined); // the client disconnected; `close` follows
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    if (await this.#probe(request, response)) return;
    const isMcp = MCP.test(request.url ?? '');
    const name = methodIn(request);
    const recording = this.#recorder.begin(isMcp ? 'mcp' : 'http', {
      method: isMethodName(name) ? name : null,
      traceparent: traceparentOf(request),
    });
    try {
      const outcome = await this.#route({ request, response, recording });
      if (outcome !== null) recording.end(outcome);
    } catch (error) {
      setHeadersOf(error, response);
      // First, so that whoever has the reply finds the entry.
      recording.end(MnemisError.isInstance(error) ? error.code : INTERNAL);
      await this.#requests.refuse(response, error);
    }
  }

  /** What load balancers and orchestrators ask, without a token. It tells nothing of the memory. */
  async #probe({ method, url }: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (method !== 'GET' && method !== 'HEAD') return false;
    if (url === '/healthz') await this.#requests.send(response, 200, { status: 'ok' });
    else if (url === '/readyz') {
      const isReady = !this.#isClosing && this.#options.audit.isWritten && (await this.#readiness.check());
      const status = isReady && !this.#isClosing ? 200 : 503;
      await this.#requests.send(response, status, { status: status === 200 ? 'ready' : 'not ready' });
    } else return false;
    return true;
  }

  /** @returns the outcome; null if the request is recorded elsewhere. @throws RefusalError */
  async #route(job: Job): Promise<Outcome | null> {
    const { request, response, recording } = job;
    // A browser sends an origin with each request of a page; no page may use this server.
    if (request.headers.origin !== undefined) throw serveRefusals.origin();
    const { authorization } = request.headers;
    const grant = await this.#options.authenticator.authenticate(authorization);
    recording.token = grant.id;
    await this.#rates.take(grant.id);
    this.#requests.refuseIfStopping();
    if (request.url === '/metrics') return this.#sendMetrics(grant, job);
    const mcp = MCP.exec(request.url ?? '');
    const name = methodIn(request);
    if (mcp === null && !isMethodName(name)) throw serveRefusals.path();
    refuseHead(request);
    if (this.#live.count >= this.#limits.requests) throw refusals.busy();
    const live = this.#live.enter(grant);
    try {
      if (mcp !== null) return await this.#answerMcp(mcp[1], { ...job, grant, live });
      return await this.#runMethod(name as MethodName, { ...job, grant, live });
    } finally {
      live.leave();
      if (live.ended.aborted) response.destroy();
    }
  }

  async #sendMetrics(grant: Grant, { request, response }: Job): Promise<Outcome> {
    // Figures of all scopes together would tell the holder of one scope that others are in use.
    if (grant.access !== 'metrics') throw serveRefusals.access();
    if (request.method !== 'GET') throw serveRefusals.method('GET');
    const body = await this.#metrics.text();
    response.writeHead(200, { 'content-type': this.#metrics.contentType }).end(body);
    return OK;
  }

  async #runMethod(name: MethodName, { request, response, recording, grant, live }: LetIn): Promise<Outcome> {
    if (ruleOf(name) === 'not-served') throw serveRefusals.notServed(); // before the body is read
    const client = guardedClient(this.#options.client, grant, {
      begin: ({ scope }) => {
        recording.scope = scope;
        return () => undefined; // the whole request is recorded
      },
    });
    return this.#requests.run(name, { client, request, response, ended: live.ended });
  }

  /** Each call of the contract that a message makes is recorded on its own. */
  async #answerMcp(
    part: string | undefined,
    { request, response, recording, grant, live }: LetIn,
  ): Promise<null> {
    const scope = part === undefined ? onlyScope(grant) : decoded(part);
    if (scope === null) throw grant.access === 'metrics' ? serveRefusals.access() : serveRefusals.noScope();
    recording.scope = scope;
    if (!covers(grant, scope)) throw serveRefusals.scope();
    const body = await readBody(request, this.#limits.bodyBytes);
    if (Array.isArray(body)) throw serveRefusals.batch();
    const client = guardedClient(this.#options.client, grant, {
      begin: (call) => {
        const inner = this.#recorder.begin('mcp', {
          token: grant.id,
          ...call,
          traceparent: traceparentOf(request),
        });
        return (outcome) => inner.end(outcome);
      },
    });
    const stop = new AbortController();
    const { mcp, logger } = this.#options;
    const answered = answerMcp(
      { request, response, body, ended: AbortSignal.any([stop.signal, live.ended]) },
      {
        client,
        options: {
          ...mcp,
          scope,
          logger,
          readOnly: grant.access !== 'write',
          confirmationKey: confirmationKeyOf(request),
        },
      },
    );
    this.#mcpRunning.set(
      stop,
      answered.catch(() => undefined),
    );
    try {
      await answered;
      return null;
    } finally {
      this.#mcpRunning.delete(stop);
    }
  }
}

/** A request on its way, and what is recorded of it. */
interface Job {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly recording: Recording;
}

/** A request with a valid token. */
interface LetIn extends Job {
  readonly grant: Grant;
  readonly live: LiveRequest;
}

/** @throws RefusalError for another method than POST, and for what is not JSON. */
function refuseHead({ method, headers }: IncomingMessage): void {
  if (method !== 'POST') throw serveRefusals.method('POST');
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') throw refusals.mediaType();
}

function setHeadersOf(error: unknown, response: ServerResponse): void {
  if (response.headersSent || !MnemisError.isInstance(error)) return;
  if (error instanceof LaterError) response.setHeader('retry-after', String(error.retryAfter));
  if (error.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
}

function traceparentOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw serveRefusals.path();
  }
}

/** The same in every process, and different for each token: a confirmation of one token is not valid for another. */
function confirmationKeyOf({ headers }: IncomingMessage): string {
  return createHmac('sha256', headers.authorization ?? '')
    .update('mnemis confirmations')
    .digest('hex');
}
