/** Public exports of `mnemis/ai-sdk`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export type { MemoryFilesOptions } from '../tools/memory-files/memory-files.ts';
export { MEMORY_TOOLS, type MemoryToolName, type MemoryToolsOptions } from '../tools/memory-toolset.ts';
export { type MemoryFileTool, memoryFiles } from './memory-files.ts';
export { type MemoryMiddleware, type MnemisCallOptions, memoryMiddleware } from './memory-middleware.ts';
export { type MemoryTool, memoryTools } from './memory-tools.ts';
