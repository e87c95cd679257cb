import { z } from 'zod';
import type { Prompt } from '../../src/model/prompt.ts';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { replyWord } from '../../src/prompts/reply-parts.ts';
import type { JudgedTexts } from '../judge-answer.ts';
import { askBinary, fencedTexts, judgeOf } from './judge.ts';

const reply = z.object({ label: replyWord(['correct', 'wrong'], 'wrong') });

export const judgeLocomo: Prompt<JudgedTexts, z.output<typeof reply>> = {
  name: 'judge-locomo',
  version: 1,
  schema: reply,
  expectedTokens: 15,
  render: ({ question, gold, answer }) => ({
    system: `You grade answers to questions about the conversations of two people. ${DATA_RULE} First comes the question, then the right answer, then the answer to grade. The right answer is a few words; the answer to grade may be long. Be generous.
label is one word:
"correct": it is about the same thing as the right answer. Where the question asks for a time, it means the same day or period, in any form: "3 June", "June 3rd", or "two days ago" if that was the day.
"wrong": it is about something else, means another day or period, or answers nothing.`,
    user: fencedTexts(question, gold, answer),
  }),
};

/** As the judge that papers use on LoCoMo: binary and generous. Questions without an answer are graded by rule. */
export const LOCOMO_JUDGE = judgeOf('locomo', (texts, options) =>
  askBinary(judgeLocomo, texts, options, ({ label }) => label === 'correct'),
);
