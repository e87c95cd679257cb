import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Logger } from '../../../src/model/logger.ts';
import type { MemoryClient } from '../../contract.ts';
import { createMemoryServer } from '../../mcp/create-memory-server.ts';
import type { MemoryServerOptions } from '../../mcp/server-options.ts';
import type { HttpContext } from '../http-env.ts';
import { readBody } from '../read-body.ts';
import { refusals } from '../refusals.ts';
import { covers, onlyScope } from './grant.ts';
import { guardedClient } from './guarded-client.ts';
import { type Recorder, traceparentOf } from './recorder.ts';

interface McpAnswers {
  readonly client: MemoryClient;
  /** Of tools. The scope and the rights come from the token. */
  readonly options?:
    | Omit<MemoryServerOptions, 'scope' | 'readOnly' | 'confirmationKey' | 'logger'>
    | undefined;
  readonly recorder: Recorder;
  readonly bodyBytes: number;
  readonly logger: Logger;
}

/**
 * Answers each message of MCP by a server of its own, without a session: the next message may reach another process.
 * Each call of the contract that a message makes is recorded on its own.
 */
export function mcpAnswers({ client, options, recorder, bodyBytes, logger }: McpAnswers) {
  return async (context: HttpContext): Promise<Response> => {
    const { incoming, outgoing } = context.env;
    const { grant, recording, running } = context.var;
    const part = context.req.path.split('/')[2];
    const scope = part === undefined ? onlyScope(grant) : decoded(part);
    if (scope === null) throw grant.access === 'metrics' ? refusals.access() : refusals.noScope();
    recording.scope = scope;
    if (!covers(grant, scope)) throw refusals.scope();
    const body = await readBody(incoming, bodyBytes);
    if (Array.isArray(body)) throw refusals.batch();
    context.set('outcome', null);
    const guarded = guardedClient(client, grant, {
      begin: (call) => {
        const traceparent = traceparentOf(incoming);
        const inner = recorder.begin('mcp', { token: grant.id, ...call, traceparent });
        return (outcome) => inner.end(outcome);
      },
    });
    const server = createMemoryServer(guarded, {
      ...options,
      scope,
      logger,
      readOnly: grant.access !== 'write',
      confirmationKey: confirmationKeyOf(incoming.headers.authorization),
    });
    // Without a generator of ids the transport keeps no sessions.
    const transport = new StreamableHTTPServerTransport({});
    const disconnect = () => outgoing.destroy();
    running.signal.addEventListener('abort', disconnect, { once: true });
    try {
      // Cast: its callback accessors may be undefined, unlike in the interface.
      await server.connect(transport as Transport);
      running.signal.throwIfAborted();
      const closed = once(outgoing, 'close');
      await transport.handleRequest(incoming, outgoing, body);
      await closed;
      return RESPONSE_ALREADY_SENT;
    } finally {
      running.signal.removeEventListener('abort', disconnect);
      await server.close(); // cancels its tools
    }
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refusals.path();
  }
}

/** The same in every process, and different for each token: a confirmation of one token is not valid for another. */
function confirmationKeyOf(authorization = ''): string {
  return createHmac('sha256', authorization).update('mnemis confirmations').digest('hex');
}
