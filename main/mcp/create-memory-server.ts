import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ForgetConfirmations } from '../../src/langchain/tools/forget-confirmation.ts';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { mnemisVersion } from '../cli/version.ts';
import type { MemoryClient } from '../contract.ts';
import { registerMemoryTool } from './memory-tool.ts';
import { registerEpisodeResources } from './resources/episode-resources.ts';
import { type MemoryServerOptions, readServerOptions } from './server-options.ts';
import type { ToolContext } from './tool-context.ts';
import { askMemory } from './tools/ask-memory.ts';
import { browseMemory } from './tools/browse-memory.ts';
import { forget } from './tools/forget.ts';
import { forgetPreview } from './tools/forget-preview.ts';
import { memoryStats } from './tools/memory-stats.ts';
import { remember } from './tools/remember.ts';
import { searchMemory } from './tools/search-memory.ts';

/** What one call’s arguments may hold together, so that a list of lists costs nothing. */
const MOST_ELEMENTS = 2_000;

const INSTRUCTIONS = `Long-term memory of earlier conversations. Look with search_memory before you answer what may depend on the past; remember what will matter later; browse_memory gives an overview. Forgetting takes two steps and the user's word. ${DATA_RULE}`;

/**
 * An MCP server over one scope of a memory: tools to search, ask, remember, browse, forget and count, and turns as
 * resources. Connect it to one transport; closing it leaves the client open.
 *
 * @param client - such as `localClient(engine)` for an engine of this process.
 * @throws InvalidInputError for options that are none.
 */
export function createMemoryServer(client: MemoryClient, options: MemoryServerOptions = {}): McpServer {
  const settings = readServerOptions(options);
  const { scope, readOnly, clock, confirmationMinutes, logger } = settings;
  const server = new McpServer(
    { name: 'mnemis', title: 'Mnemis memory', version: mnemisVersion() },
    { instructions: INSTRUCTIONS, maxToolInputElements: MOST_ELEMENTS },
  );
  // Its words may quote a message that could not be read.
  server.server.onerror = ({ name }) =>
    logger.warn(`A message of the MCP client could not be handled (${name}).`);
  const lifetime = confirmationMinutes * 60_000;
  const confirmations = new ForgetConfirmations({ scope, clock, lifetime });
  const context: ToolContext = { client, settings, confirmations };
  registerMemoryTool(server, context, searchMemory);
  registerMemoryTool(server, context, askMemory);
  registerMemoryTool(server, context, browseMemory);
  registerMemoryTool(server, context, memoryStats);
  if (!readOnly) {
    registerMemoryTool(server, context, remember);
    registerMemoryTool(server, context, forgetPreview);
    registerMemoryTool(server, context, forget);
  }
  registerEpisodeResources(server, context);
  return server;
}
