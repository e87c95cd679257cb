import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { CallOptions } from '../model/call-options.ts';

/**
 * For calls that may ask a language model. What was done before the budget ran out is kept. Default: no limit; the
 * local tier spends nothing.
 */
export interface FlushOptions extends CallOptions {
  /** Tokens of the language model that the work may cost. */
  readonly budget?: TokenBudget | undefined;
}
