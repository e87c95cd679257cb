import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '../../src/engine/engine-context.ts';
import { InvalidSettingError } from '../errors.ts';
import { reportFailure } from '../mcp/register-tool.ts';
import { sendReply } from './event-stream.ts';
import { Gatekeeper, RefusalError, refusals } from './loopback-access.ts';
import { DEFAULT_LIMITS, limitedServer, readBody, type ServerLimits } from './server-limits.ts';

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

export const MCP_PATH = '/mcp';
const MOST_SESSIONS = 64;
/** The protocol's error code for a request that the server rejects. */
const REFUSED = -32_000;
/** The protocol's error code that makes the client start a new session. */
const noSession = () => new RefusalError(404, 'unknown-session', 'There is no such session; start a new one');

const tooManySessions = (most: number) =>
  new RefusalError(
    503,
    'too-many-sessions',
    `All ${most} sessions of this server have a client that is connected; disconnect one, then try again`,
  );

/** MCP over streamable HTTP, for programs on this machine that have the token. */
export class McpHttpServer {
  readonly #options: McpHttpOptions;
  readonly #limits: ServerLimits;
  readonly #gate: Gatekeeper;
  readonly #sessions: SessionTable;
  readonly #http: Server;
  #underWay = 0;

  private constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#gate = new Gatekeeper(options.token);
    this.#sessions = new SessionTable(options.sessions ?? MOST_SESSIONS);
    this.#http = limitedServer(this.#limits, (request, response) => void this.#receive(request, response));
  }

  /** @throws InvalidSettingError if the port is not available. */
  static async listen(options: McpHttpOptions): Promise<McpHttpServer> {
    const { port = 0 } = options;
    const server = new McpHttpServer(options);
    server.#http.listen({ host: '127.0.0.1', port, exclusive: true });
    try {
      await once(server.#http, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new InvalidSettingError(`The port ${port} of 127.0.0.1 is not available (${code})`, error);
    }
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo | null)?.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}${MCP_PATH}`;
  }

  /** Stops accepting requests and cancels running ones. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await this.#sessions.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#underWay++;
    response.once('close', () => this.#underWay--);
    try {
      this.#admit(request);
      const body = request.method === 'POST' ? await readBody(request, this.#limits.bodyBytes) : undefined;
      const session = await this.#sessionOf(request, body);
      session.open++;
      response.once('close', () => session.open--);
      await session.transport.handleRequest(request, response, body);
    } catch (error) {
      await this.#refuse(response, error);
    }
  }

  /** @throws RefusalError */
  #admit(request: IncomingMessage): void {
    const { method = '', headers, url } = request;
    const stranger = this.#gate.refuseSender(request, { port: this.port });
    if (stranger !== null) throw stranger;
    // GET and DELETE requests have no body, so only the token is checked.
    const isBare = method === 'GET' || method === 'DELETE';
    const head = isBare
      ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      : request;
    const refusal = this.#gate.refuseHead(head, true);
    if (refusal !== null) throw refusal;
    if (url !== MCP_PATH) throw refusals.path();
    if (this.#underWay > this.#limits.requests) throw refusals.busy();
  }

  async #sessionOf({ headers }: IncomingMessage, body: unknown): Promise<Session> {
    const id = headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(body)) return this.#begin();
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (session === undefined) throw noSession();
    return session;
  }

  /** @throws RefusalError */
  async #begin(): Promise<Session> {
    this.#sessions.makeRoom();
    const server = this.#options.open();
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => this.#sessions.add(id, session),
      onsessionclosed: (id) => this.#sessions.remove(id),
      keepAliveMs: this.#limits.heartbeatMilliseconds,
    });
    const session: Session = { server, transport, open: 0 };
    // Cast: its callback accessors may be undefined, unlike in the interface.
    await server.connect(transport as Transport);
    return session;
  }

  async #refuse(response: ServerResponse, error: unknown): Promise<void> {
    const logger = this.#options.logger ?? { warn: () => undefined };
    const { code, message } = reportFailure(error, { what: 'MCP request', logger });
    if (response.destroyed || response.headersSent) return void response.destroy();
    const status = error instanceof RefusalError ? error.status : 500;
    response.setHeader('connection', 'close'); // the body may be unread
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    const value = { jsonrpc: '2.0', id: null, error: { code: REFUSED, message, data: { code } } };
    await sendReply(response, { status, value, unreadMilliseconds: this.#limits.unreadMilliseconds });
  }
}

/** One client's conversation with the server. */
interface Session {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
  /** Its requests and streams under way: the client is connected if there are any. */
  open: number;
}

/** Sessions by id, up to a maximum. */
class SessionTable {
  readonly #most: number;
  /** Ordered by last use: the first one was idle for longest. */
  readonly #sessions = new Map<string, Session>();

  constructor(most: number) {
    this.#most = most;
  }

  get(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends idle sessions, those without a request or a stream, until there is room. @throws RefusalError */
  makeRoom(): void {
    for (const [id, { server, open }] of this.#sessions) {
      if (this.#sessions.size < this.#most) return;
      if (open > 0) continue;
      this.#sessions.delete(id);
      // Its client then gets the error for a missing session and starts a new one.
      void server.close();
    }
    if (this.#sessions.size >= this.#most) throw tooManySessions(this.#most);
  }

  add(id: string, session: Session): void {
    this.#sessions.set(id, session);
  }

  remove(id: string): void {
    this.#sessions.delete(id);
  }

  /** Cancels their running requests. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ server }) => server.close()));
  }
}
