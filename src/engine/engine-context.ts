import type { Admission } from '../ingest/admit/admission.ts';
import type { IngestProfile } from '../ingest/profile.ts';
import type { IngestStages } from '../ingest/stages.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { EmbeddingSwitch } from './embedding-switch.ts';

/** Where the engine reports what a caller need not act on. */
export interface Logger {
  warn(message: string): void;
}

/** How turns become segments, entities and facts. */
export interface IngestSettings {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** Whether that happens by itself: when a topic is complete, and at the end in the local tier. */
  readonly isAutomatic: boolean;
}

/** Everything the engine works with, composed once in `Mnemis.open`. */
export interface EngineContext {
  readonly store: GraphStore;
  readonly embedding: EmbeddingSwitch;
  readonly ingest: IngestSettings;
  readonly admission: Admission;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  readonly logger: Logger;
  /** Folder of index snapshots, or null for a memory that is not kept. */
  readonly snapshotFolder: string | null;
}
