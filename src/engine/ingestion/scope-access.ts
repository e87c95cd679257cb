import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { BufferedTurns } from '../../ingest/admit/admit-turns.ts';
import type { EchoFilter } from '../../ingest/admit/echo-filter.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { HierarchyProgress, HierarchyReport } from '../hierarchy/hierarchy-keeper.ts';
import type { LeaseOptions } from '../sharing/scope-sharing.ts';
import type { IngestionSetup } from './ingestion-setup.ts';

/** What ingestion needs of the engine. */
export interface ScopeAccess extends IngestionSetup {
  readonly recalled: EchoFilter;
  /** The current index and the embedder of its vectors. */
  read(): Promise<IngestContext>;
  buffer(turns: readonly unknown[], signal: AbortSignal | undefined): Promise<BufferedTurns>;
  /** Runs a job while no other writer runs. */
  write<T>(job: (context: IngestContext) => Promise<T>): Promise<T>;
  /** Runs a job over the newest commit while no other process consolidates the scope. */
  asWorker<T>(job: () => Promise<T>, options?: LeaseOptions): Promise<T>;
  /** Whether turns must wait because rows that they might be resolved against are hidden. */
  isPaused(): boolean;
  /** Updates the category hierarchy after consolidation; null if that is not automatic. */
  readonly organize: ((request: OrganizeRequest) => Promise<HierarchyReport | null>) | null;
}

export interface OrganizeRequest extends ModelCallOptions {
  /** Whether sessions end here. */
  readonly ended: boolean;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}
