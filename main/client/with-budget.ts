import { TokenBudget } from '../../src/inference/language-model/calling/token-budget.ts';
import type { RequestOptions } from '../contract.ts';

/** What a request says, as the engine takes it: with its limit of tokens as a budget, and its signal. */
export function withBudget<T extends { readonly tokenBudget?: number | undefined }>(
  { tokenBudget, ...options }: T,
  calls: RequestOptions,
) {
  const budget = tokenBudget === undefined ? undefined : new TokenBudget(tokenBudget);
  return { ...options, ...calls, budget };
}
