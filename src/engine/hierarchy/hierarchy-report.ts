import type { HierarchyCounts } from '../../hierarchy/draft-changes.ts';
import type { UpdateMode } from '../../hierarchy/plan-step.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { HierarchyEnd } from '../../model/nodes.ts';

/**
 * How far a run over the category hierarchy is, told after each of its commits. `counts` and `usage` are those of the
 * run.
 */
export interface HierarchyProgress {
  /** The layer that is worked on, from 1. */
  readonly layer: number;
  /** Nodes of it that are still to be asked about. */
  readonly left: number;
  readonly counts: HierarchyCounts;
  readonly usage: ModelUsage;
}

/** What a run over the category hierarchy came to, whether it was asked for or followed consolidation. */
export interface HierarchyReport {
  readonly mode: UpdateMode;
  readonly counts: HierarchyCounts;
  /** Categories by layer, from layer 1. */
  readonly layers: readonly number[];
  /** Why no further layer was made; null where there is no hierarchy. */
  readonly stoppedBy: HierarchyEnd | null;
  /** What of a model's replies was not usable. */
  readonly notes: readonly string[];
  readonly usage: ModelUsage;
  /** By the name of the prompt. */
  readonly byStage: Readonly<Record<string, ModelUsage>>;
  readonly seconds: number;
}

/** How far `ScopeHierarchy.update` or `rebuild` is. `done` comes last. */
export type HierarchyEvent =
  | ({ readonly type: 'progress' } & HierarchyProgress)
  | ({ readonly type: 'done' } & HierarchyReport);

export interface OrganizeOptions extends ModelCallOptions {
  /** Default `update`: what has a category keeps it. */
  readonly mode?: UpdateMode;
  readonly onProgress?: (progress: HierarchyProgress) => void;
}

export const NO_COUNTS: HierarchyCounts = { created: 0, dissolved: 0, renamed: 0, placed: 0, stale: 0 };
