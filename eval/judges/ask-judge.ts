import { BudgetExhaustedError, CancelledError, MnemisError } from '../../src/errors/index.ts';
import { UsageMeter } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../../src/inference/language-model.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';

/** The model that judges, and what its calls share. */
export interface JudgeOptions extends Pick<ModelCallOptions, 'signal' | 'budget'> {
  readonly model: LanguageModel;
  /** Receives why a call failed, which else counts as not judged. */
  readonly onFailure?: ((error: MnemisError) => void) | undefined;
}

interface Asked<Value> {
  /** Null if the model failed, or if its reply could not be read. */
  readonly value: Value | null;
  readonly usage: Usage;
}

/** Calls a judge's model. A call that fails gives null and its usage. @throws CancelledError, BudgetExhaustedError */
export async function askJudge<Value>(
  { signal, budget, onFailure }: JudgeOptions,
  ask: (options: ModelCallOptions) => Promise<Value>,
): Promise<Asked<Value>> {
  const meter = new UsageMeter();
  try {
    const value = await ask({ signal, budget, meter });
    return { value, usage: usageIn(meter) };
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    onFailure?.(error);
    return { value: null, usage: usageIn(meter) };
  }
}

function usageIn({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}
