import { z } from 'zod';
import type { Prompt } from '../../src/model/prompt.ts';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { replyWord } from '../../src/prompts/reply-parts.ts';
import type { JudgedTexts } from '../judge-answer.ts';
import { askBinary, fencedTexts, type Judge, ruledGrade } from './judge.ts';

const WHOLE =
  'yes: it has the right answer, says the same, or has every step that leads to it. no: it lacks it, or has a part of it only.';

const DEFAULT_RULE = `Second comes the right answer. ${WHOLE}`;

/** What a right answer is, by the type of the question. */
const RULES: ReadonlyMap<string, string> = new Map([
  [
    'temporal-reasoning',
    `${DEFAULT_RULE} A number of days, weeks or months that is one off is right too: six weeks for five.`,
  ],
  [
    'knowledge-update',
    'Second comes the right answer, the newest. yes: it has the newest, also if it names what held before. no: it lacks the newest.',
  ],
  [
    'single-session-preference',
    'Second comes what a good answer to this person would use. yes: it recalls what the person said of themselves and uses it rightly; it need not use all. no: it does not, or gets it wrong.',
  ],
]);
const ABSTENTION_RULE =
  'The question cannot be answered from what was said; second comes the reason. yes: the answer says so, that something is missing, or that only something else was said. no: it answers nevertheless.';

interface Typed extends JudgedTexts {
  /** The type of the question. */
  readonly category: string;
  /** Whether `gold` is an answer; else it says why there is none. */
  readonly answerable: boolean;
}

const reply = z.object({ right: replyWord(['yes', 'no'], 'no') });

export const judgeLongMemEval: Prompt<Typed, z.output<typeof reply>> = {
  name: 'judge-longmemeval',
  version: 1,
  schema: reply,
  expectedTokens: 15,
  render: ({ category, answerable, question, gold, answer }) => ({
    system: `You grade an answer to a question that a person asked about earlier chats. ${DATA_RULE} First comes the question, last the answer to grade. ${answerable ? (RULES.get(category) ?? DEFAULT_RULE) : ABSTENTION_RULE}
right is "yes" or "no".`,
    user: fencedTexts(question, gold, answer),
  }),
};

/** As LongMemEval's own judge: binary, by the type of the question. Other types are graded as most of its own. */
export const LONGMEMEVAL_JUDGE: Judge = {
  name: 'longmemeval',
  async grade(input, options) {
    const { question, gold, answer, category = '', explanation = '' } = input;
    if (answer === null) return ruledGrade(input);
    const typed = { question, gold: gold ?? explanation, answer, category, answerable: gold !== null };
    return askBinary(judgeLongMemEval, typed, options, ({ right }) => right === 'yes');
  },
};
