import { z } from 'zod';
import type { Prompt } from '../../src/model/prompt.ts';
import { DATA_RULE } from '../../src/prompts/as-data.ts';
import { replyWord } from '../../src/prompts/reply-parts.ts';
import type { JudgedTexts } from '../judge-answer.ts';
import { askBinary, fencedTexts, type Judge, ruledGrade } from './judge.ts';

const WHOLE =
  'yes: it has the right answer, says the same, or has every step that leads to it. no: it lacks it, or has a part of it only.';

/** What a right answer is, by the type of the question. */
const RULES = {
  whole: `Second comes the right answer. ${WHOLE}`,
  'temporal-reasoning': `Second comes the right answer. ${WHOLE} A number of days, weeks or months that is one off is right too: 19 days for 18.`,
  'knowledge-update':
    'Second comes the right answer, the newest. yes: it has the newest, also if it names what held before. no: it lacks the newest.',
  'single-session-preference':
    'Second comes what a good answer to this person would use. yes: it recalls what the person said of themselves and uses it rightly; it need not use all. no: it ignores it or gets it wrong.',
  abstention:
    'The question cannot be answered from what was said; second comes the reason. yes: the answer says so, that something is missing, or that only something else was said. no: it answers nevertheless.',
} as const;

interface Ruled extends JudgedTexts {
  readonly rule: keyof typeof RULES;
}

const reply = z.object({ right: replyWord(['yes', 'no'], 'no') });

export const judgeLongMemEval: Prompt<Ruled, z.output<typeof reply>> = {
  name: 'judge-longmemeval',
  version: 1,
  schema: reply,
  expectedTokens: 15,
  render: ({ rule, question, gold, answer }) => ({
    system: `You grade an answer to a question that a person asked about earlier chats. ${DATA_RULE} First comes the question, last the answer to grade. ${RULES[rule]}
right is "yes" or "no".`,
    user: fencedTexts(question, gold, answer),
  }),
};

/** As LongMemEval's own judge: binary, by the type of the question. Other types are graded as most of its own. */
export const LONGMEMEVAL_JUDGE: Judge = {
  name: 'longmemeval',
  async grade(input, options) {
    const { question, answer, explanation = '' } = input;
    if (answer === null) return ruledGrade(input);
    const texts = { question, gold: input.gold ?? explanation, answer, rule: ruleOf(input) };
    return askBinary(judgeLongMemEval, texts, options, ({ right }) => right === 'yes');
  },
};

function ruleOf({ gold, category = '' }: { gold: string | null; category?: string | undefined }) {
  if (gold === null) return 'abstention';
  const rules = ['temporal-reasoning', 'knowledge-update', 'single-session-preference'] as const;
  return rules.find((rule) => rule === category) ?? 'whole';
}
