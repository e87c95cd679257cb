/** Public exports of `mnemis/openai-agents`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export { MEMORY_TOOLS, type MemoryToolName, type MemoryToolsOptions } from '../tools/memory-toolset.ts';
export {
  type AgentMemoryOptions,
  type AgentRunOptions,
  agentMemory,
  type MemoryOfAgents,
  type MemoryRunOptions,
} from './agent-memory.ts';
export { type MemoryTool, memoryTools } from './memory-tools.ts';
export type { MnemisSession, SessionMemory } from './mnemis-session.ts';
