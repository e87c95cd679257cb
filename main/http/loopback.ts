import { z } from 'zod';
import { type MemoryClient, PROTOCOL } from '../contract.ts';
import { describing, httpApplication, jsonPosts, nothingHere } from './application.ts';
import { ATTEND, attendance } from './attendance.ts';
import { addContract } from './contract-routes.ts';
import { HELLO, helloSchema, proofOf } from './hello.ts';
import type { HttpMiddleware } from './http-env.ts';
import { HttpListener } from './listener.ts';
import { LoopbackAccess } from './loopback-access.ts';
import type { PageHost } from './page/page-routes.ts';
import { readBody } from './read-body.ts';
import { refusals } from './refusals.ts';
import { RunningRequests } from './running-requests.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './server-limits.ts';

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
  /** Receives the number of clients that attend whenever it changes. */
  readonly onAttendance?: (clients: number) => void;
  /** Receives unexpected errors, which clients never see. */
  readonly onFailure?: (error: unknown) => void;
}

const LAUNCH = '/v1/launch';
const launchSchema = z.strictObject({ code: z.string().max(200) });

export class LoopbackServer {
  readonly #listener: HttpListener;
  readonly #running: RunningRequests;

  private constructor(listener: HttpListener, running: RunningRequests) {
    this.#listener = listener;
    this.#running = running;
  }

  /** Listens on 127.0.0.1. @throws InvalidSettingError if the port is taken, with the system's error as its cause. */
  static async listen(options: ServerOptions): Promise<LoopbackServer> {
    const { client, page, port = 0, onActivity } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const access = new LoopbackAccess(options.token, options.origins);
    const running = new RunningRequests({ limits, onActivity });
    const describe = describing(options.onFailure);
    const app = httpApplication({ describe });
    const middleware: readonly HttpMiddleware[] = [
      access.sharing,
      access.fromHere({ hasPage: page !== undefined }),
      ...(page === undefined ? [] : [page.files]),
      preflight,
      access.withToken(page === undefined ? [HELLO] : [HELLO, LAUNCH]),
      jsonPosts,
      running.accepting,
    ];
    app.use(...middleware);
    app.post(HELLO, async (context) => {
      const parsed = helloSchema.safeParse(await readBody(context.env.incoming, 1_000));
      if (!parsed.success) throw refusals.json('it has no nonce');
      return context.json({
        result: { protocol: PROTOCOL, proof: proofOf(options.token, parsed.data.nonce) },
      });
    });
    if (page !== undefined) {
      app.post(LAUNCH, async (context) => {
        const parsed = launchSchema.safeParse(await readBody(context.env.incoming, 1_000));
        if (!parsed.success) throw refusals.json('it has no code');
        if (!page.codes.redeem(parsed.data.code)) throw refusals.code();
        context.header('cache-control', 'no-store');
        return context.json({ result: { token: options.token } });
      });
      app.post('/v1/launchCode', (context) => context.json({ result: { code: page.codes.issue() } }));
    }
    app.post(`/v1/${ATTEND}`, attendance(options.onAttendance ?? (() => undefined)));
    addContract(app, { clientOf: () => client, running, limits, describe });
    app.all('*', nothingHere);
    return new LoopbackServer(await HttpListener.listen(app, { limits, port }), running);
  }

  get port(): number {
    return this.#listener.port;
  }

  async close(): Promise<void> {
    await this.#listener.close(() => this.#running.close());
  }
}

/** Answers a browser that asks whether a page may send a request. */
const preflight: HttpMiddleware = async (context, next) => {
  const { method, headers } = context.env.incoming;
  if (method === 'OPTIONS' && headers.origin !== undefined) return context.body(null, 204);
  return next();
};
