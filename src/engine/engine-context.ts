import type { ChangeFeed } from '../browse/feed/change-feed.ts';
import type { AfterRemoval, UpdateHierarchy } from '../edit/forget/records.ts';
import type { TextHolder } from '../edit/proof/text-holder.ts';
import type { Categorizer } from '../hierarchy/categorizer.ts';
import type { HierarchySettings } from '../hierarchy/defaults.ts';
import type { EmbeddingSwitch } from '../inference/embedder/embedding-switch.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { Admission } from '../ingest/admit/admission.ts';
import type { IngestProfile } from '../ingest/profile.ts';
import type { IngestStages } from '../ingest/stages.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Logger } from '../model/logger.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { SharedStore } from '../store/shared-store.ts';
import type { Retention } from './maintain/retention.ts';
import type { ScopeResidency } from './scope-residency.ts';

/** How turns become segments, entities and facts. */
export interface IngestSettings {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** Whether consolidation runs automatically: when a topic is complete, and in the local tier at close. */
  readonly isAutomatic: boolean;
  /** Whether extraction from the same turns always gives the same result: true for our own rules. */
  readonly isRepeatable?: boolean;
}

/** How entities are grouped into categories. */
export interface HierarchySetup {
  readonly settings: HierarchySettings;
  /** Loaded on first use. */
  readonly categorizer: () => Promise<Categorizer>;
  /** Whether it runs automatically after consolidation. */
  readonly isAutomatic: boolean;
}

/** The engine's components, composed once in `Mnemis.open`. */
export interface EngineContext {
  readonly store: GraphStore;
  /** The part of `store` that knows of other processes; undefined for a memory that this process has alone. */
  readonly shared?: SharedStore | undefined;
  readonly embedding: EmbeddingSwitch;
  readonly ingest: IngestSettings;
  readonly admission: Admission;
  /** Selects categories during searches, if the recipe uses a model for that. */
  readonly languageModel?: LanguageModel | undefined;
  /** Reranks candidates, if the recipe says so. */
  readonly reranker?: Reranker | undefined;
  /** Stores beside the memory that hold user text. */
  readonly textHolders?: readonly TextHolder[] | undefined;
  /** Without one, categories are built only on request. */
  readonly hierarchy?: HierarchySetup | undefined;
  /** The retention rules of `maintain`. */
  readonly retention?: Retention | undefined;
  /** Runs at the end of a forgetting, for example to re-derive facts. */
  readonly afterRemoval?: AfterRemoval | undefined;
  /** Updates the categories after a forgetting has removed what they described. */
  readonly updateHierarchy?: UpdateHierarchy | undefined;
  /** Decides which scopes stay in memory; without one, all used scopes do. */
  readonly residency?: ScopeResidency | undefined;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  readonly logger: Logger;
  /** Receives each commit of `store`; without one, changes are reported from the graph alone. */
  readonly feed?: ChangeFeed | undefined;
  /** Folder of index snapshots; null for an in-memory store. */
  readonly snapshotFolder: string | null;
}
