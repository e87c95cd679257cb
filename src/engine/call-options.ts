import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { EnrichmentProgress, EnrichmentReport } from './ingestion/enrichment-report.ts';

/**
 * For calls that may ask a language model. What was done before the budget ran out is kept. Default: no limit; the
 * local tier spends nothing.
 */
export interface FlushOptions extends CallOptions {
  /** Tokens of the language model that the work may cost. */
  readonly budget?: TokenBudget | undefined;
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
