/** Public exports of `mnemis/strands`. */

export { MissingUserError } from '../agent-memory/agent-memory.ts';
export type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
export { type MemoryStore, type MemoryStoreOptions, memoryBlock, memoryStore } from './memory-store.ts';
