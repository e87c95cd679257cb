import { BudgetExhaustedError, CancelledError, MnemisError } from '../errors/index.ts';
import { UsageMeter } from '../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../inference/language-model.ts';
import { NO_USAGE, type Usage } from '../model/retrieved-item.ts';
import { judgeAnswer } from '../prompts/judge-answer.ts';

export interface Judgement {
  /** 1 or 0; null where the judge failed. */
  readonly judged: number | null;
  readonly usage: Usage;
}

/** Whether an answer is right: by rule where somebody abstains or should have, else by what a language model says. */
export async function judgeResult(
  { question, gold, answer }: { question: string; gold: string | null; answer: string | null },
  { model, signal, budget }: Pick<ModelCallOptions, 'signal' | 'budget'> & { readonly model: LanguageModel },
): Promise<Judgement> {
  if (gold === null || answer === null) return { judged: gold === answer ? 1 : 0, usage: NO_USAGE };
  const meter = new UsageMeter();
  try {
    const { value } = await model.structured(
      judgeAnswer,
      { question, gold, answer },
      { signal, budget, meter },
    );
    return { judged: value.verdict === 'correct' ? 1 : 0, usage: usageOf(meter) };
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    return { judged: null, usage: usageOf(meter) };
  }
}

function usageOf({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}
