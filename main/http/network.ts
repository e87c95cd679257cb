import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { MnemisError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import type { ScopesOfApp } from '../assistant/app-handlers.ts';
import { INTERNAL } from '../client/errors.ts';
import type { MemoryClient, MethodName } from '../contract.ts';
import type { MemoryServerOptions } from '../mcp/server-options.ts';
import { describing, httpApplication, jsonPosts, nothingHere } from './application.ts';
import { addContract, methodIn } from './contract-routes.ts';
import type { HttpContext, HttpMiddleware } from './http-env.ts';
import { HttpListener } from './listener.ts';
import type { AuditLog } from './network/audit-log.ts';
import { OK } from './network/audit-log.ts';
import type { Authenticator } from './network/authenticator.ts';
import { type CallObserver, guardedClient, refuseUnserved } from './network/guarded-client.ts';
import { LiveRequests } from './network/live-requests.ts';
import { mcpAnswers } from './network/mcp-answers.ts';
import { Recorder, type Tracing, traceparentOf } from './network/recorder.ts';
import { ServerMetrics } from './network/server-metrics.ts';
import type { RemotePage } from './page/remote-page.ts';
import { refusals } from './refusals.ts';
import { RunningRequests } from './running-requests.ts';
import { NETWORK_LIMITS, type NetworkLimits } from './server-limits.ts';

/** Longer than the pause after which proxies close connections, which is 60 s for most: they then never reuse a closed one. */
const KEEP_ALIVE_MILLISECONDS = 75_000;
/** A scope that nobody has: to ask the store for a turn of it costs least, however many scopes there are. */
const READINESS_SCOPE = 'mnemis readiness check';

export interface NetworkServerOptions {
  readonly client: MemoryClient;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** The app's page for browsers of other devices, and which scopes its things belong to. Default: none. */
  readonly app?: { readonly page: RemotePage; readonly scopes: ScopesOfApp } | undefined;
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
  readonly #running: RunningRequests;
  readonly #live: LiveRequests;
  readonly #readiness: Readiness;
  readonly #metrics: ServerMetrics;
  readonly #recorder: Recorder;
  #listener: HttpListener | null = null;
  #isClosing = false;

  private constructor(options: NetworkServerOptions) {
    this.#options = options;
    const limits = { ...NETWORK_LIMITS, ...options.limits };
    this.#limits = limits;
    const { client, authenticator, audit, tracing } = options;
    const running = new RunningRequests({ limits });
    this.#running = running;
    const { requestsOfToken: most, recheckMilliseconds } = limits;
    this.#live = new LiveRequests({ authenticator, most, recheckMilliseconds });
    this.#readiness = new Readiness({
      ask: (signal) => client.episodes({ scope: READINESS_SCOPE, ids: ['none'] }, { signal }),
      mostMilliseconds: limits.readyMilliseconds,
    });
    this.#metrics = new ServerMetrics({
      running: () => running.count,
      isReady: () => !this.#isClosing && this.#readiness.last,
    });
    if (options.measuresProcess === true) this.#metrics.addProcess();
    this.#recorder = new Recorder({ audit, metrics: this.#metrics, tracing });
  }

  /** @throws InvalidSettingError if the address is not available. */
  static async listen(options: NetworkServerOptions): Promise<NetworkServer> {
    const server = new NetworkServer(options);
    await server.#listen();
    return server;
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /**
   * Turns not ready, goes on for a moment, then accepts no more requests, ends endless streams, and gives the rest the
   * grace period before it cancels them. Resolves when no request runs.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    await wait(this.#limits.drainMilliseconds);
    await this.#listener?.close(() => this.#running.close());
    this.#live.close();
  }

  async #listen(): Promise<void> {
    const { client, authenticator, mcp, logger, onFailure, host, port, app: served } = this.#options;
    const scopes = served?.scopes ?? null;
    const [limits, running, recorder] = [this.#limits, this.#running, this.#recorder];
    const describe = describing(onFailure);
    const app = httpApplication({ describe });
    app.use(strictHeaders);
    // What load balancers and orchestrators ask, without a token. It tells nothing of the memory.
    app.get('/healthz', (context) => context.json({ status: 'ok' }));
    app.get('/readyz', (context) => this.#ready(context));
    if (served !== undefined) app.use(served.page.files);
    const rates = new RateLimits(limits.requestsPerMinute);
    app.use(
      recorded(recorder),
      fromPage(served?.page),
      authenticated(authenticator, limits),
      async ({ var: { grant } }, next) => {
        await rates.take(grant.id);
        await next();
      },
      running.accepting,
    );
    app.all('/metrics', (context) => this.#sendMetrics(context));
    const clientOf = ({ var: { grant, recording } }: HttpContext, name: MethodName) => {
      refuseUnserved(name, scopes);
      const observer: CallObserver = {
        begin: ({ scope }) => {
          recording.scope = scope;
          return () => undefined; // the whole request is recorded
        },
      };
      return guardedClient(client, grant, observer, scopes);
    };
    addContract(app, {
      clientOf,
      running,
      limits,
      describe,
      before: [jsonPosts],
      after: [this.#live.bound],
    });
    const { bodyBytes } = limits;
    const answer = mcpAnswers({ client, options: mcp, recorder, bodyBytes, logger });
    for (const path of ['/mcp', '/mcp/:scope{[^/?#]{1,1000}}'])
      app.all(path, jsonPosts, running.counting(), this.#live.bound, answer);
    app.all('*', nothingHere);
    try {
      const keepAliveMilliseconds = KEEP_ALIVE_MILLISECONDS;
      this.#listener = await HttpListener.listen(app, { limits, host, port, keepAliveMilliseconds });
    } catch (error) {
      this.#live.close();
      throw error;
    }
  }

  async #ready(context: Context): Promise<Response> {
    const isReady = !this.#isClosing && this.#options.audit.isWritten && (await this.#readiness.check());
    return isReady && !this.#isClosing
      ? context.json({ status: 'ready' })
      : context.json({ status: 'not ready' }, 503);
  }

  async #sendMetrics(context: HttpContext): Promise<Response> {
    // Figures of all scopes together would tell the holder of one scope that others are in use.
    if (context.var.grant.access !== 'metrics') throw refusals.access();
    if (context.env.incoming.method !== 'GET') throw refusals.method('GET');
    return context.body(await this.#metrics.text(), 200, { 'content-type': this.#metrics.contentType });
  }
}

/** Set on the reply itself, to which MCP's transport writes. */
const strictHeaders: HttpMiddleware = async ({ env: { outgoing } }, next) => {
  outgoing.setHeader('cache-control', 'no-store');
  outgoing.setHeader('x-content-type-options', 'nosniff');
  await next();
};

/** A browser sends an origin with each request of a page; none but the server's own may use it. */
function fromPage(page: RemotePage | undefined): HttpMiddleware {
  return async ({ env: { incoming } }, next) => {
    if (incoming.headers.origin !== undefined) {
      if (page === undefined) throw refusals.origin();
      page.admit(incoming.headers);
    }
    await next();
  };
}

/** A wrong token waits, so that nobody learns fast which are. */
function authenticated(
  authenticator: Authenticator,
  { wrongTokenMilliseconds }: Pick<NetworkLimits, 'wrongTokenMilliseconds'>,
): HttpMiddleware {
  return async (context, next) => {
    const { authorization } = context.env.incoming.headers;
    const grant = await authenticator.authenticate(authorization).catch(async (error) => {
      await wait(wrongTokenMilliseconds);
      throw error;
    });
    context.set('grant', grant);
    context.var.recording.token = grant.id;
    await next();
  };
}

/** Records each request; before it is answered, so that whoever has the reply finds the entry, and streams at their end. */
function recorded(recorder: Recorder): HttpMiddleware {
  return async (context, next) => {
    const recording = recorder.begin(/^\/mcp(\/|$)/.test(context.req.path) ? 'mcp' : 'http', {
      method: methodIn(context),
      traceparent: traceparentOf(context.env.incoming),
    });
    context.set('recording', recording);
    await next();
    const { error } = context;
    const { outcome } = context.var;
    if (error !== undefined) recording.end(MnemisError.isInstance(error) ? error.code : INTERNAL);
    else if (outcome === undefined) recording.end(OK);
    else void outcome?.then((each) => recording.end(each));
  };
}

/** The most requests of one token a minute, counted by this process. */
class RateLimits {
  readonly #limiter: RateLimiterMemory;

  constructor(requestsPerMinute: number) {
    this.#limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 });
  }

  /** @throws RefusalError, with the seconds until the next request in `retryAfter`. */
  async take(id: string): Promise<void> {
    try {
      await this.#limiter.consume(id);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      throw refusals.rate(Math.max(1, Math.ceil(rejected.msBeforeNext / 1_000)));
    }
  }
}

interface ReadinessOptions {
  /** Asks the store something. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly mostMilliseconds: number;
}

/** How long an answer counts: anybody may ask whether the server is ready, and must not load the store by it. */
const FRESH_MILLISECONDS = 1_000;

/** Whether the store answers, asked at most once a second. */
class Readiness {
  readonly #options: ReadinessOptions;
  #asking: Promise<boolean> | null = null;
  #asked = Number.NEGATIVE_INFINITY;
  #last = true;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** What the last check found. */
  get last(): boolean {
    return this.#last;
  }

  async check(): Promise<boolean> {
    if (performance.now() - this.#asked < FRESH_MILLISECONDS) return this.#last;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    const { ask, mostMilliseconds } = this.#options;
    const signal = AbortSignal.timeout(mostMilliseconds);
    const tooLate = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([ask(signal), tooLate]);
      this.#last = true;
    } catch {
      this.#last = false;
    }
    this.#asked = performance.now();
    return this.#last;
  }
}
