import type { AfterRemoval, UpdateHierarchy } from '../edit/forget/forgetting.ts';
import type { TextHolder } from '../edit/proof/text-holder.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import type { Reranker } from '../inference/reranker.ts';
import type { Admission } from '../ingest/admit/admission.ts';
import type { IngestProfile } from '../ingest/profile.ts';
import type { IngestStages } from '../ingest/stages.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { EmbeddingSwitch } from './embedding/embedding-switch.ts';
import type { ChangeFeed } from './feed/change-feed.ts';
import type { HierarchyAccess } from './hierarchy/hierarchy-keeper.ts';
import type { Retention } from './maintain/maintain-scope.ts';
import type { ScopeResidency } from './scope-residency.ts';

/**
 * Where the engine reports what a caller need not act on, such as turns that wait because a model does not answer. No
 * message holds the user's text.
 */
export interface Logger {
  warn(message: string): void;
}

/** How turns become segments, entities and facts. */
export interface IngestSettings {
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  /** Whether that happens by itself: when a topic is complete, and at the end in the local tier. */
  readonly isAutomatic: boolean;
  /** Whether reading the same turns again gives the same: by rules of our own. */
  readonly isRepeatable?: boolean;
}

/** How entities are grouped into categories. */
export interface HierarchySetup extends Pick<HierarchyAccess, 'settings' | 'categorizer'> {
  /** Whether that happens by itself, after consolidation. */
  readonly isAutomatic: boolean;
}

/** Everything the engine works with, composed once in `Mnemis.open`. */
export interface EngineContext {
  readonly store: GraphStore;
  readonly embedding: EmbeddingSwitch;
  readonly ingest: IngestSettings;
  readonly admission: Admission;
  /** Chooses categories when memory is searched, where the recipe has a model do it. */
  readonly languageModel?: LanguageModel | undefined;
  /** Reads candidates together with the question, where the recipe says so. */
  readonly reranker?: Reranker | undefined;
  /** Places beside the memory that hold text of users. */
  readonly textHolders?: readonly TextHolder[] | undefined;
  /** Without one, categories are only made when they are asked for. */
  readonly hierarchy?: HierarchySetup | undefined;
  /** What `maintain` goes by. */
  readonly retention?: Retention | undefined;
  /** What follows a forgetting before it is done, such as re-derivation. */
  readonly afterRemoval?: AfterRemoval | undefined;
  /** Tells of categories anew once a forgetting has removed what they told. */
  readonly updateHierarchy?: UpdateHierarchy | undefined;
  /** Decides which scopes stay in memory; without one, all that were used. */
  readonly residency?: ScopeResidency | undefined;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  readonly logger: Logger;
  /** Hears each commit of `store`; without one, changes are told from the graph alone. */
  readonly feed?: ChangeFeed | undefined;
  /** Folder of index snapshots, or null for a memory that is not kept. */
  readonly snapshotFolder: string | null;
}
