import { z } from 'zod';
import type { Prompt } from '../src/model/prompt.ts';
import { NO_USAGE, type Usage } from '../src/model/retrieved-item.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../src/prompts/as-data.ts';
import { replyWord } from '../src/prompts/reply-parts.ts';
import { askJudge, type JudgeOptions } from './judges/ask-judge.ts';

export interface JudgedTexts {
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
export const judgeAnswer: Prompt<JudgedTexts, z.output<typeof judgeAnswerReply>> = {
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

/** An answer to judge, and what it is judged by. */
export interface AnswerToJudge {
  readonly question: string;
  /** Null if the gold is that memory has no answer. */
  readonly gold: string | null;
  /** Null if it was declined. */
  readonly answer: string | null;
}

/** The verdict that needs no model: on an answer that abstains, or should have. */
export function ruledVerdict({ gold, answer }: Pick<AnswerToJudge, 'gold' | 'answer'>): Verdict {
  if (answer !== null) return 'wrong';
  return gold === null ? 'right' : 'declined';
}

/** Judges an answer: by rule if it abstains or should have, else by the language model. */
export async function judgeResult(
  { question, gold, answer }: AnswerToJudge,
  options: JudgeOptions,
): Promise<Judgement> {
  if (gold === null || answer === null) return { verdict: ruledVerdict({ gold, answer }), usage: NO_USAGE };
  const { value, usage } = await askJudge(options, (call) =>
    options.model.structured(judgeAnswer, { question, gold, answer }, call),
  );
  return { verdict: value?.value.verdict ?? null, usage };
}
