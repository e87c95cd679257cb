import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { FlushOptions } from '../call-options.ts';
import type { HierarchyProgress, HierarchyReport } from '../hierarchy/hierarchy-keeper.ts';

/** What consolidation has done so far. */
export interface EnrichmentCounts {
  /** Turns that became part of a segment. */
  readonly consolidated: number;
  readonly segments: number;
  readonly entities: number;
  readonly facts: number;
  /** Facts of memory that new turns bear out as well. */
  readonly repeated: number;
  /** Facts, of memory or new, that newer ones have ended or corrected. */
  readonly outdated: number;
  /** Turns that could not be read; `stats` gives the reasons. */
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
 * How far a consolidation is, told after each of its commits. `counts` and `usage` are those of this run, `pending`
 * is the whole scope's.
 */
export interface EnrichmentProgress {
  readonly counts: EnrichmentCounts;
  /** Turns of the scope that still wait. */
  readonly pending: number;
  readonly usage: ModelUsage;
  readonly seconds: number;
  /** Estimates for what still waits, at the pace so far; null before the first batch. */
  readonly toGo: { readonly seconds: number; readonly tokens: number } | null;
  /** Once everything is consolidated: how far the categories are. */
  readonly grouping?: HierarchyProgress | undefined;
}

/** What a consolidation came to: the result of `flush`. `counts` and `usage` are those of this run. */
export interface EnrichmentReport {
  readonly counts: EnrichmentCounts;
  /** Turns of the scope that still wait, such as some that came in meanwhile. */
  readonly pending: number;
  readonly usage: ModelUsage;
  /** By the name of the prompt. */
  readonly byStage: Readonly<Record<string, ModelUsage>>;
  readonly seconds: number;
  /** What became of the category hierarchy; null when it was not looked at. Where it failed, the next run goes on. */
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

/** For `MemoryScope.resume`: as for `flush`, and whether turns that could not be read get another try. */
export interface ResumeOptions extends FlushOptions {
  /** Whether what was set aside is tried again. Default false. */
  readonly retry?: boolean;
}

/**
 * How far `MemoryScope.resume` is: `progress` after each commit, first of consolidation, then of the categories;
 * `done` comes last.
 */
export type ResumeEvent =
  | ({ readonly type: 'progress' } & EnrichmentProgress)
  | ({ readonly type: 'done' } & EnrichmentReport);
