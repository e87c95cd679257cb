import type { Dropped } from '../../inference/language-model/reading/drop-log.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { FlushOptions } from '../call-options.ts';
import type { HierarchyProgress, HierarchyReport } from '../hierarchy/hierarchy-updates.ts';

/** The work of a consolidation so far. */
export interface EnrichmentCounts {
  /** Turns that became part of a segment. */
  readonly consolidated: number;
  readonly segments: number;
  readonly entities: number;
  readonly facts: number;
  /** Stored facts for which new turns added evidence. */
  readonly repeated: number;
  /** Facts, stored or new, that newer ones have ended or corrected. */
  readonly outdated: number;
  /** Turns that could not be consolidated; `stats` gives the reasons. */
  readonly setAside: number;
}

export const NOTHING_ENRICHED: EnrichmentCounts = {
  consolidated: 0,
  segments: 0,
  entities: 0,
  facts: 0,
  repeated: 0,
  outdated: 0,
  setAside: 0,
};

/**
 * Progress of a consolidation, reported after each of its commits. `counts` and `usage` are those of this run,
 * `pending` is the whole scope's.
 */
export interface EnrichmentProgress {
  readonly counts: EnrichmentCounts;
  /** Turns of the scope that still wait. */
  readonly pending: number;
  readonly usage: ModelUsage;
  readonly seconds: number;
  /** Estimates for the waiting turns at the current pace; null before the first batch. */
  readonly toGo: { readonly seconds: number; readonly tokens: number } | null;
  /** Progress of the hierarchy update that follows. */
  readonly grouping?: HierarchyProgress | undefined;
}

/** The result of a consolidation and of `flush`. `counts` and `usage` are those of this run. */
export interface EnrichmentReport {
  readonly counts: EnrichmentCounts;
  /** Turns of the scope that still wait, such as turns added during the run. */
  readonly pending: number;
  readonly usage: ModelUsage;
  /** By the name of the prompt. */
  readonly byStage: Readonly<Record<string, ModelUsage>>;
  /** What of the model's replies was not stored, by kind and reason; without texts. Empty in the local tier. */
  readonly dropped: readonly Dropped[];
  readonly seconds: number;
  /** The result of the hierarchy update; null if none ran. After a failure, the next run continues. */
  readonly hierarchy: HierarchyReport | { readonly failure: string } | null;
}

export function plusCounts(a: EnrichmentCounts, b: EnrichmentCounts): EnrichmentCounts {
  return {
    consolidated: a.consolidated + b.consolidated,
    segments: a.segments + b.segments,
    entities: a.entities + b.entities,
    facts: a.facts + b.facts,
    repeated: a.repeated + b.repeated,
    outdated: a.outdated + b.outdated,
    setAside: a.setAside + b.setAside,
  };
}

/** Options of `MemoryScope.resume`: those of `flush`, and whether to retry turns that were set aside. */
export interface ResumeOptions extends FlushOptions {
  /** Whether turns that were set aside are retried. Default false. */
  readonly retry?: boolean;
}

/**
 * Progress of `MemoryScope.resume`: `progress` after each commit, first of consolidation, then of the hierarchy
 * update; `done` comes last.
 */
export type ResumeEvent =
  | ({ readonly type: 'progress' } & EnrichmentProgress)
  | ({ readonly type: 'done' } & EnrichmentReport);
