import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** One client's conversation with the server. */
export interface Session {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
}

/** Sessions by their ids. There is room for so many; a new one takes the place of the one that was quiet for longest. */
export class SessionTable {
  readonly #most: number;
  /** The one that was quiet for longest comes first. */
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

  add(id: string, session: Session): void {
    this.#sessions.set(id, session);
    for (const [oldest, { server }] of this.#sessions) {
      if (this.#sessions.size <= this.#most) break;
      this.#sessions.delete(oldest);
      // Its client is told that there is no such session, and begins a new one.
      void server.close();
    }
  }

  remove(id: string): void {
    this.#sessions.delete(id);
  }

  /** What is under way in them is cancelled. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ server }) => server.close()));
  }
}
