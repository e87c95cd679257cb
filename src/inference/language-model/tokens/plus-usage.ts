import type { Usage } from '../../../model/retrieved-item.ts';

/** The calls and tokens of two operations together. */
export function plusUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}
