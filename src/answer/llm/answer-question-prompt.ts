import type { Milliseconds } from '../../model/ids.ts';
import type { TextPrompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence, numberedSource } from '../../prompts/as-data.ts';
import { dayName } from '../../prompts/render-turns.ts';

export interface AnswerInput {
  /** In the order of their numbers, from 1, as `memoryContext` renders them. */
  readonly sources: readonly string[];
  readonly question: string;
  /** The time that "now" and "last week" in the question refer to. */
  readonly now: Milliseconds;
}

/** The model's reply if the sources do not suffice. */
export const ABSTENTION = 'NOT_ENOUGH';
const LONGEST_QUESTION = 2_000;

/**
 * Asks for an answer from numbered sources, or an abstention (MemORAI's answer rules, docs/papers.md §2.9). The sources
 * precede the question, as in `select-nodes`. The reply is prose, so that it can be shown while it is written; the
 * premise comes first, so that the model checks it before it answers.
 */
export const answerQuestion: TextPrompt<AnswerInput> = {
  name: 'answer-question',
  version: 2,
  expectedTokens: 60,
  render: ({ sources, question, now }) => ({
    system: `You answer a question from what somebody's memory holds, and from nothing else. ${DATA_RULE} First come the sources, each begun by its number in brackets: turns of talks with day, time and speaker, facts with the days between which they held, people and things, and categories with the path to them. Further lines of a source begin with "|". Then comes the question.
Your first line is one word, on what the question takes for granted: that the person it names, and nobody else, did, said or has what it says. "I" in a turn is its speaker, "you" the one spoken to. HOLDS if a source shows it, FAILS if the sources show it of somebody else or show the opposite, else UNCLEAR.
Then, on a line of its own, the answer: the shortest phrase that answers, in the words of the sources where they have them; no sentence around it. Whatever you take from a source is followed by its number in brackets, as in [2] or [2, 5]; an answer names at least one. Where facts contradict each other, the one that holds at the time asked about counts, and of several the most recent. Count dates from the day of the turn that says "yesterday" or "last week", and give the date itself. For who said what, quote exactly. If the premise fails, or the sources do not say, the answer is ${ABSTENTION} and nothing more; guess nothing.`,
    user: `${fence(DATA, sources.map(numberedSource).join('\n'))}\n${fence(DATA, `Asked on ${dayName(now)}: ${asLabel(question, LONGEST_QUESTION)}`)}`,
  }),
};
