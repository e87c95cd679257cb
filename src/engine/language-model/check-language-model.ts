import { z } from 'zod';
import type { ModelUsage } from '../../inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions, Strategy } from '../../inference/language-model.ts';
import type { Prompt } from '../../model/prompt.ts';

/** How a model did with the one tiny question of `checkLanguageModel`. */
export interface LanguageModelReport {
  readonly model: string;
  /** How it was brought to answer in schema. */
  readonly strategy: Strategy;
  /** Its first reply did not fit and had to be mended. */
  readonly repaired: boolean;
  /** It read the text that it was given: the reply names what the text names. */
  readonly correct: boolean;
  /** Of the whole call, retries and repair included. */
  readonly milliseconds: number;
  readonly usage: ModelUsage;
}

const CITY = 'Oslo';

const PROMPT: Prompt<string, { city: string }> = {
  name: 'check-language-model',
  version: 1,
  schema: z.object({ city: z.string().describe('the city that the sentence names') }),
  render: (sentence) => ({ system: 'You read one sentence and name the city in it.', user: sentence }),
  expectedTokens: 32,
};

/**
 * Asks one tiny question, to see whether the model answers, how, and at what cost.
 *
 * @throws what LanguageModel.structured throws.
 */
export async function checkLanguageModel(
  model: LanguageModel,
  options: ModelCallOptions = {},
): Promise<LanguageModelReport> {
  const reply = await model.structured(PROMPT, `Last summer Nora moved to ${CITY}.`, options);
  return {
    model: model.name,
    strategy: reply.strategy,
    repaired: reply.repaired,
    correct: reply.value.city.toLowerCase().includes(CITY.toLowerCase()),
    milliseconds: reply.milliseconds,
    usage: reply.usage,
  };
}
