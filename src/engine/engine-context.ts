import type { Extractor } from '../ingest/extractor.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { EmbeddingSwitch } from './embedding-switch.ts';

/** Where the engine reports what a caller need not act on. */
export interface Logger {
  warn(message: string): void;
}

/** Everything the engine works with, composed once in `Mnemis.open`. */
export interface EngineContext {
  readonly store: GraphStore;
  readonly embedding: EmbeddingSwitch;
  readonly extractor: Extractor;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  readonly logger: Logger;
  /** Folder of index snapshots, or null for a memory that is not kept. */
  readonly snapshotFolder: string | null;
}
