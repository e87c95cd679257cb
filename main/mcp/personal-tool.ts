import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { toolContext } from '../../src/tools/agent-tool.ts';
import type { MemoryClient } from '../contract.ts';
import { AUTHOR, clientMemory } from './create-memory-server.ts';
import { registerTool } from './register-tool.ts';
import { type MemoryServerOptions, readServerOptions } from './server-options.ts';
import { rememberWords } from './tools.ts';

/**
 * Adds `remember_about_user` to the server of a repository: it stores what holds in every repository, in the user's own
 * scope.
 *
 * @throws InvalidInputError for invalid options.
 */
export function addPersonalTool(server: McpServer, client: MemoryClient, options: MemoryServerOptions): void {
  const settings = readServerOptions(options);
  const context = toolContext(clientMemory(client, settings), { ...settings, ...AUTHOR });
  registerTool(
    server,
    { context, settings },
    {
      ...rememberWords,
      name: 'remember_about_user',
      title: 'Remember about the user',
      description:
        'As remember, for what holds in all of the user’s projects, when they ask for it: what they prefer, how they work. What belongs to this project is for remember.',
    },
  );
}
