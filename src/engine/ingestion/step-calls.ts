import { TokenBudget } from '../../inference/language-model/calling/token-budget.ts';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import { NO_USAGE, type Usage } from '../../model/retrieved-item.ts';

/** A signal that fires with the first of two. */
export function eitherOf(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b]);
}

/** A partly spent budget. */
export async function restOf({
  limit,
  spent,
}: {
  readonly limit: number;
  readonly spent: number;
}): Promise<TokenBudget> {
  const budget = new TokenBudget(limit);
  (await budget.reserve(0)).settle(spent);
  return budget;
}

export function usageSince(before: ModelUsage, now: ModelUsage): Usage {
  if (now.calls === before.calls) return NO_USAGE;
  return {
    calls: now.calls - before.calls,
    promptTokens: now.promptTokens - before.promptTokens,
    completionTokens: now.completionTokens - before.completionTokens,
  };
}
