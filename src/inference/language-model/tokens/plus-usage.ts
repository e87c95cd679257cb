import type { Usage } from '../../../model/retrieved-item.ts';

/** The calls and tokens of two operations together. */
export function plusUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

/** The calls and tokens of an operation without those of a part of it. */
export function minusUsage(whole: Usage, part: Usage): Usage {
  return {
    calls: whole.calls - part.calls,
    promptTokens: whole.promptTokens - part.promptTokens,
    completionTokens: whole.completionTokens - part.completionTokens,
  };
}
