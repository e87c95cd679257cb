/** Public exports of `mnemis/anthropic`. */

export type { MemoryFilesOptions } from '../tools/memory-files/memory-files.ts';
export { type MemoryToolHandlers, memoryToolHandlers } from './memory-tool-handlers.ts';
export {
  type SessionStoreOptions,
  sessionStore,
  type TranscriptKey,
  type TranscriptStore,
} from './session-store.ts';
export type { TranscriptEntry } from './transcript-entry.ts';
