import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { MemoryClient } from '../../contract.ts';
import { createMemoryServer } from '../../mcp/create-memory-server.ts';
import type { MemoryServerOptions } from '../../mcp/server-options.ts';

/** A message of an MCP client that was let in. */
export interface McpMessage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
  /** Ends the answer, and disconnects the client. */
  readonly ended: AbortSignal;
}

/**
 * Answers one message by a server of its own, without a session: the next message may reach another process. Resolves
 * when the answer is complete, or the client has left.
 */
export async function answerMcp(
  { request, response, body, ended }: McpMessage,
  { client, options }: { readonly client: MemoryClient; readonly options: MemoryServerOptions },
): Promise<void> {
  const server = createMemoryServer(client, options);
  // Without a generator of ids the transport keeps no sessions.
  const transport = new StreamableHTTPServerTransport({});
  if (response.closed) return;
  const closed = once(response, 'close');
  const disconnect = () => response.destroy();
  ended.addEventListener('abort', disconnect, { once: true });
  try {
    // Cast: its callback accessors may be undefined, unlike in the interface.
    await server.connect(transport as Transport);
    ended.throwIfAborted();
    await transport.handleRequest(request, response, body);
    await closed;
  } finally {
    ended.removeEventListener('abort', disconnect);
    await server.close(); // cancels its tools
  }
}
