import { z } from 'zod';
import type { Prompt } from '../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from './as-data.ts';
import { replyWord } from './reply-parts.ts';

export interface JudgeInput {
  readonly question: string;
  /** What is right. */
  readonly gold: string;
  readonly answer: string;
}

const LONGEST = 2_000;

/** What cannot be read as a verdict is no praise. */
const schema = z.object({ verdict: replyWord(['correct', 'wrong'], 'wrong') });

/** Whether an answer says what the gold says: the judge score of evaluations (PAPERS §5). */
export const judgeAnswer: Prompt<JudgeInput, z.output<typeof schema>> = {
  name: 'judge-answer',
  version: 1,
  schema,
  expectedTokens: 15,
  render: ({ question, gold, answer }) => ({
    system: `You grade answers to questions about people's talks. ${DATA_RULE} First comes the question, then the right answer, then the answer to grade.
verdict: "correct" if the graded answer says what the right one says, in whatever words: it may be longer, a date may be written otherwise or said relative to another, and of a list it must have every part. "wrong" if it says something else, leaves out what was asked, or says that it does not know.`,
    user: [question, gold, answer].map((text) => fence(DATA, asLabel(text, LONGEST))).join('\n'),
  }),
};
