import { z } from 'zod';
import type { Milliseconds } from '../model/ids.ts';
import type { Prompt } from '../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from './as-data.ts';
import { numberedSource } from './numbered-source.ts';
import { dayName } from './render-turns.ts';
import { replyNumbers, replyText, replyWord } from './reply-parts.ts';

export interface AnswerInput {
  /** In the order of their numbers, from 1, as `memoryContext` renders them. */
  readonly sources: readonly string[];
  readonly question: string;
  /** The time that "now" and "last week" of the question mean. */
  readonly now: Milliseconds;
}

/** What a model says where the sources do not suffice. */
export const ABSTENTION = 'NOT_ENOUGH';
const LONGEST_QUESTION = 2_000;

/** The premise comes first, so that a model looks at it before it answers. */
const schema = z.object({
  premise: replyWord(['holds', 'fails', 'unclear'], 'unclear'),
  answer: replyText,
  sources: replyNumbers,
});

/**
 * An answer from numbered sources, or an abstention (MemORAI's answer rules, PAPERS §2.9). The sources come before the
 * question, as in `select-nodes`.
 */
export const answerQuestion: Prompt<AnswerInput, z.output<typeof schema>> = {
  name: 'answer-question',
  version: 1,
  schema,
  expectedTokens: 60,
  render: ({ sources, question, now }) => ({
    system: `You answer a question from what somebody's memory holds, and from nothing else. ${DATA_RULE} First come the sources, each begun by its number in brackets: turns of talks with day, time and speaker, facts with the days between which they held, people and things, and categories with the path to them. Further lines of a source begin with "|". Then comes the question.
premise: first check what the question takes for granted: that the person it names, and nobody else, did, said or has what it says. "I" in a turn is its speaker, "you" the one spoken to. "holds" if a source shows it, "fails" if the sources show it of somebody else or show the opposite, else "unclear".
answer: the shortest phrase that answers, in the words of the sources where they have them; no sentence around it. Where facts contradict each other, the one that holds at the time asked about counts, and of several the most recent. Count dates from the day of the turn that says "yesterday" or "last week", and give the date itself. For who said what, quote exactly. If the premise fails, or the sources do not say, the answer is ${ABSTENTION} and nothing more; guess nothing.
sources: numbers of the sources that the answer rests on, at least one; none for ${ABSTENTION}.`,
    user: `${fence(DATA, sources.map(numberedSource).join('\n'))}\n${fence(DATA, `Asked on ${dayName(now)}: ${asLabel(question, LONGEST_QUESTION)}`)}`,
  }),
};
