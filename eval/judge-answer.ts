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

export const VERDICTS = ['right', 'partly', 'wrong', 'declined'] as const;
/** `declined`: the answer says that memory does not hold enough, though there is a gold answer. */
export type Verdict = (typeof VERDICTS)[number];

/** An unreadable verdict counts as wrong. */
const judgeAnswerReply = z.object({ verdict: replyWord(VERDICTS, 'wrong') });

/** Judges whether an answer agrees with the gold. */
export const judgeAnswer: Prompt<JudgeInput, z.output<typeof judgeAnswerReply>> = {
  name: 'judge-answer',
  version: 2,
  schema: judgeAnswerReply,
  expectedTokens: 15,
  render: ({ question, gold, answer }) => ({
    system: `You grade answers to questions about conversations. ${DATA_RULE} First comes the question, then the right answer, then the answer to grade. Only the right answer counts, not what you know.
verdict is one word:
"right": it says what the right answer says. Other words, more detail, a whole quoted sentence, or a date written in another way are right too.
"partly": it says some of it: a part of a list, or a less exact date or name that fits.
"wrong": it says something else, contradicts the right answer, or repeats the question without answering it.
"declined": it says that it does not know or that there is not enough to answer.`,
    user: [question, gold, answer].map((text) => fence(DATA, asLabel(text, LONGEST))).join('\n'),
  }),
};

export interface Judgement {
  /** Null if the judge failed. */
  readonly verdict: Verdict | null;
  readonly usage: Usage;
}

/** Judges an answer: by rule if it abstains or should have, else by the language model. */
export async function judgeResult(
  { question, gold, answer }: { question: string; gold: string | null; answer: string | null },
  { model, signal, budget }: Pick<ModelCallOptions, 'signal' | 'budget'> & { readonly model: LanguageModel },
): Promise<Judgement> {
  if (answer === null) return { verdict: gold === null ? 'right' : 'declined', usage: NO_USAGE };
  if (gold === null) return { verdict: 'wrong', usage: NO_USAGE };
  const meter = new UsageMeter();
  try {
    const { value } = await model.structured(
      judgeAnswer,
      { question, gold, answer },
      { signal, budget, meter },
    );
    return { verdict: value.verdict, usage: usageIn(meter) };
  } catch (error) {
    if (CancelledError.isInstance(error) || BudgetExhaustedError.isInstance(error)) throw error;
    if (!MnemisError.isInstance(error)) throw error;
    return { verdict: null, usage: usageIn(meter) };
  }
}

function usageIn({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}
