import { z } from 'zod';
import { BudgetExhaustedError, CancelledError, MnemisError } from '../src/errors/index.ts';
import { UsageMeter } from '../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions } from '../src/inference/language-model.ts';
import type { Prompt } from '../src/model/prompt.ts';
import { NO_USAGE, type Usage } from '../src/model/retrieved-item.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../src/prompts/as-data.ts';
import { replyWord } from '../src/prompts/reply-parts.ts';

export interface JudgeInput {
  readonly question: string;
  /** The gold answer. */
  readonly gold: string;
  readonly answer: string;
}

const LONGEST = 2_000;

/** An unreadable verdict counts as wrong. */
const judgeAnswerReply = z.object({ verdict: replyWord(['correct', 'wrong'], 'wrong') });

/** Judges whether an answer agrees with the gold. */
export const judgeAnswer: Prompt<JudgeInput, z.output<typeof judgeAnswerReply>> = {
  name: 'judge-answer',
  version: 1,
  schema: judgeAnswerReply,
  expectedTokens: 15,
  render: ({ question, gold, answer }) => ({
    system: `You grade answers to questions about people's talks. ${DATA_RULE} First comes the question, then the right answer, then the answer to grade.
verdict: "correct" if the graded answer says what the right one says, in whatever words: it may be longer, a date may be written otherwise or said relative to another, and of a list it must have every part. "wrong" if it says something else, leaves out what was asked, or says that it does not know.`,
    user: [question, gold, answer].map((text) => fence(DATA, asLabel(text, LONGEST))).join('\n'),
  }),
};

export interface Judgement {
  /** 1 or 0; null if the judge failed. */
  readonly judged: number | null;
  readonly usage: Usage;
}

/** Judges an answer: by rule if it abstains or should have, else by the language model. */
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
    return { judged: value.verdict === 'correct' ? 1 : 0, usage: usageIn(meter) };
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    return { judged: null, usage: usageIn(meter) };
  }
}

function usageIn({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}
