/** Public exports of `mnemis/adk`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export {
  MEMORY_RULE,
  type MemoryService,
  type MemoryServiceOptions,
  memoryService,
} from './memory-service.ts';
