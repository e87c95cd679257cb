import { randomUUID } from 'node:crypto';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '../../src/model/logger.ts';
import { reportFailure } from '../mcp/register-tool.ts';
import { httpApplication, jsonPosts, nothingHere } from './application.ts';
import type { HttpMiddleware } from './http-env.ts';
import { HttpListener } from './listener.ts';
import { LoopbackAccess } from './loopback-access.ts';
import { readBody } from './read-body.ts';
import { refusals } from './refusals.ts';
import { RunningRequests } from './running-requests.ts';
import { DEFAULT_LIMITS, type ServerLimits } from './server-limits.ts';

/** The memory to serve, the port, and the token that clients must send. */
export interface McpHttpOptions {
  /** Creates the server of one session. Sessions share no state, such as confirmations. */
  readonly open: () => McpServer;
  readonly token: string;
  /** Port of 127.0.0.1. Default: any free one. */
  readonly port?: number;
  /** The most sessions. A new one ends the one that was idle for longest; if none is idle, it is refused. Default 64. */
  readonly sessions?: number;
  readonly limits?: Partial<ServerLimits>;
  readonly logger?: Logger;
}

const MCP_PATH = '/mcp';
const MOST_SESSIONS = 64;
/** The protocol's error code for a request that the server rejects. */
const REFUSED = -32_000;

/** MCP over streamable HTTP, for programs on this machine that have the token. */
export class McpHttpServer {
  readonly #listener: HttpListener;
  readonly #sessions: SessionTable;

  private constructor(listener: HttpListener, sessions: SessionTable) {
    this.#listener = listener;
    this.#sessions = sessions;
  }

  /** @throws InvalidSettingError if the port is not available. */
  static async listen(options: McpHttpOptions): Promise<McpHttpServer> {
    const { open, token, port = 0, logger = { warn: () => undefined } } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const access = new LoopbackAccess(token);
    const running = new RunningRequests({ limits });
    const sessions = new SessionTable({ open, most: options.sessions ?? MOST_SESSIONS, limits });
    const app = httpApplication({
      describe: (error) => reportFailure(error, { what: 'MCP request', logger }),
      errorReply: ({ code, message }) => ({
        jsonrpc: '2.0',
        id: null,
        error: { code: REFUSED, message, data: { code } },
      }),
    });
    app.use(access.fromHere(), access.withToken());
    app.all(MCP_PATH, mcpRequests, running.counting(), async ({ env: { incoming, outgoing } }) => {
      const body = incoming.method === 'POST' ? await readBody(incoming, limits.bodyBytes) : undefined;
      const session = await sessions.sessionOf(incoming.headers['mcp-session-id'], body);
      session.open++;
      outgoing.once('close', () => session.open--);
      await session.transport.handleRequest(incoming, outgoing, body);
      return RESPONSE_ALREADY_SENT;
    });
    app.all('*', nothingHere);
    return new McpHttpServer(await HttpListener.listen(app, { limits, port }), sessions);
  }

  get port(): number {
    return this.#listener.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}${MCP_PATH}`;
  }

  /** Stops accepting requests and cancels running ones. */
  async close(): Promise<void> {
    await this.#listener.close(() => this.#sessions.close());
  }
}

/** GET and DELETE requests have no body. */
const mcpRequests: HttpMiddleware = (context, next) =>
  ['GET', 'DELETE'].includes(context.req.method) ? next() : jsonPosts(context, next);

interface Session {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
  /** Its requests and streams under way: the client is connected if there are any. */
  open: number;
}

interface SessionOptions {
  readonly open: () => McpServer;
  readonly most: number;
  readonly limits: ServerLimits;
}

/** Sessions by id, up to a maximum. */
class SessionTable {
  readonly #options: SessionOptions;
  /** Ordered by last use: the first one was idle for longest. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The session that a message names, or a new one for its first message. @throws RefusalError */
  async sessionOf(id: string | readonly string[] | undefined, body: unknown): Promise<Session> {
    if (id === undefined && isInitializeRequest(body)) return this.#begin();
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (session === undefined) throw refusals.session();
    this.#sessions.delete(id as string);
    this.#sessions.set(id as string, session);
    return session;
  }

  /** Cancels running requests. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ server }) => server.close()));
  }

  /** @throws RefusalError */
  async #begin(): Promise<Session> {
    this.#makeRoom();
    const { open, limits } = this.#options;
    const server = open();
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => void this.#sessions.delete(id),
      keepAliveMs: limits.heartbeatMilliseconds,
    });
    const session: Session = { server, transport, open: 0 };
    // Cast: its callback accessors may be undefined, unlike in the interface.
    await server.connect(transport as Transport);
    return session;
  }

  /** Ends idle sessions, those without a request or a stream, until there is room. @throws RefusalError */
  #makeRoom(): void {
    const { most } = this.#options;
    for (const [id, { server, open }] of this.#sessions) {
      if (this.#sessions.size < most) return;
      if (open > 0) continue;
      this.#sessions.delete(id);
      // Its client then gets the error for a missing session and starts a new one.
      void server.close();
    }
    if (this.#sessions.size >= most) throw refusals.sessions(most);
  }
}
