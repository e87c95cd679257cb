import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { EnrichmentProgress, EnrichmentReport } from './ingestion/enrichment-report.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface FlushOptions extends CallOptions {
  /** Tokens of the language model that the work may cost. */
  readonly budget?: TokenBudget | undefined;
}

export interface ResumeOptions extends FlushOptions {
  /** Whether what was set aside is tried again. Default false. */
  readonly retry?: boolean;
}

export type ResumeEvent =
  | ({ readonly type: 'progress' } & EnrichmentProgress)
  | ({ readonly type: 'done' } & EnrichmentReport);
