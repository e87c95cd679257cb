/** Public exports of `mnemis/mastra`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export { MEMORY_TOOLS, type MemoryToolName, type MemoryToolsOptions } from '../tools/memory-toolset.ts';
export { type MemoryProcessor, memoryProcessor } from './memory-processor.ts';
export { type MemoryTool, memoryTools } from './memory-tools.ts';
