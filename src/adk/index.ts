/** Public exports of `mnemis/adk`. */

export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export {
  MEMORY_RULE,
  type MemoryService,
  type MemoryServiceOptions,
  memoryService,
} from './memory-service.ts';
