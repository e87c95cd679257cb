import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { toolContext } from '../../src/tools/agent-tool.ts';
import type { MemoryClient } from '../contract.ts';
import { mnemisVersion } from '../version.ts';
import { clientMemory } from './client-memory.ts';
import { registerEpisodeResources } from './episode-resources.ts';
import { registerPrompts } from './prompts.ts';
import { type MemoryServerOptions, readServerOptions } from './server-options.ts';
import { registerTools } from './tools.ts';

/** The most text in one call’s arguments together, which bounds the cost of nested lists. */
const MOST_ELEMENTS = 2_000;

const INSTRUCTIONS = `Long-term memory of earlier conversations. Look with search_memory before you answer what may depend on the past; remember what will matter later; browse_memory gives an overview. Forgetting takes two steps and the user's word. ${DATA_RULE}`;

/**
 * An MCP server over one scope of a memory: tools to search, ask, remember, browse, forget and count, turns as
 * resources, and prompts to recall. Connect it to one transport; closing it leaves the client open.
 *
 * @param client - such as `localClient(engine)` for an engine of this process.
 * @throws InvalidInputError for invalid options.
 */
export function createMemoryServer(client: MemoryClient, options: MemoryServerOptions = {}): McpServer {
  const settings = readServerOptions(options);
  const { logger } = settings;
  const server = new McpServer(
    { name: 'mnemis', title: 'Mnemis memory', version: mnemisVersion() },
    { instructions: INSTRUCTIONS, maxToolInputElements: MOST_ELEMENTS },
  );
  // The error's message is not logged: it may quote the client's message.
  server.server.onerror = ({ name }) =>
    logger.warn(`A message of the MCP client could not be handled (${name}).`);
  const { k, contextTokens, session, trust, confirmationMinutes, confirmationKey, clock } = settings;
  const context = toolContext(clientMemory(client, settings), {
    ...{ k, contextTokens, session, trust, confirmationMinutes, confirmationKey, clock },
    ...{ role: 'assistant' as const, source: 'mcp', author: 'mcp' },
  });
  registerTools(server, { context, settings });
  registerEpisodeResources(server, { client, settings });
  registerPrompts(server, { context, settings });
  return server;
}
