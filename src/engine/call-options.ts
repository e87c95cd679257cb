import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { CallOptions } from '../model/call-options.ts';

/**
 * Options of calls that may use a language model. Work done before the budget ran out is kept. Default: no limit; the
 * local tier spends nothing.
 */
export interface FlushOptions extends CallOptions {
  /** Maximum number of language model tokens for the work. */
  readonly budget?: TokenBudget | undefined;
}

/** A signal that fires with the first of two. */
export function eitherSignal(
  a: AbortSignal | undefined,
  b: AbortSignal | undefined,
): AbortSignal | undefined {
  return a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b]);
}
