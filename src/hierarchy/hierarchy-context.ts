import type { Milliseconds, Scope } from '../model/ids.ts';
import type { Embedding, Profile } from '../model/nodes.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { HierarchySettings } from './defaults.ts';

/** Dependencies of the code that maintains the hierarchy of one scope. */
export interface HierarchyContext {
  readonly scope: Scope;
  readonly store: Pick<GraphStore, 'get' | 'scan'>;
  readonly index: ScopeIndex;
  readonly settings: HierarchySettings;
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  /** Embeds names and summaries; returns one row per vector. */
  readonly embed: (profiles: readonly Profile[]) => Promise<readonly Embedding[]>;
}
