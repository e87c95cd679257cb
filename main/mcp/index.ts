/** Public exports of `mnemis/mcp`: a memory as an MCP server. */
export { localClient } from '../client/local-client.ts';
export type { MemoryClient } from '../contract.ts';
export { type McpHttpOptions, McpHttpServer } from '../http/mcp.ts';
export { createMemoryServer } from './create-memory-server.ts';
export type { MemoryServerOptions } from './server-options.ts';
