import { z } from 'zod';
import type { Milliseconds } from '../../model/ids.ts';
import type { Prompt } from '../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { replyConfidence, replyList, replyNumber, replyText, replyWord } from '../../prompts/reply-parts.ts';
import { isoDay } from '../../util/iso-day.ts';

export interface ShownFact {
  readonly statement: string;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds | null;
  readonly toldAt: Milliseconds;
  /** Text of its turns that may retract an earlier statement; empty otherwise. */
  readonly said: string;
}

export interface OutdatedInput {
  /** Numbered from 1, each once, regardless of the number of its pairs. */
  readonly facts: readonly ShownFact[];
  /** Numbers of facts: a new one, and those that it may make outdated. */
  readonly pairs: readonly { readonly fact: number; readonly others: readonly number[] }[];
}

export const OUTDATED_KINDS = ['replaces', 'corrects', 'neither'] as const;

const LONGEST_STATEMENT = 300;
const LONGEST_SAID = 200;

const schema = z.object({
  outdated: replyList(
    z.object({
      by: replyNumber,
      old: replyNumber,
      reason: replyText,
      kind: replyWord(OUTDATED_KINDS, 'neither'),
      confidence: replyConfidence,
    }),
  ),
});

export type OutdatedReply = z.output<typeof schema>;

/** Decides which facts new ones make outdated (PersonalAI, "Graph Construction", appendix B). */
export const outdatedFacts: Prompt<OutdatedInput, OutdatedReply> = {
  name: 'outdated-facts',
  version: 2,
  schema,
  expectedTokens: 120,
  shown: ({ facts }) => ({ by: facts.length, old: facts.length }),
  render: ({ facts, pairs }) => ({
    system: `You keep a memory up to date: you find facts that other facts have made outdated. ${DATA_RULE} Each line there is a fact: number [day it was told (since the day it began, if earlier) (until the day it ended)] statement. Behind "said:" stand words that came with it.
List only pairs in which one fact can no longer be taken as so. old: the number of the fact that gives way. by: the number of the fact that it gives way to. kind:
- replaces: "old" was so, until "by" began to be so: a move, a new job, a parting, a liking that turned, a thing that was sold, a plan that was carried out, put off or called off. Then "by" has the later day, or it was told later of a time such as "in March" that goes beyond the day of "old".
- corrects: "old" was never so: somebody took back what they had said.
- neither: all else. A fact that adds something (one more hobby, friend, pet or detail), says the same again, tells of another person or of another occasion, or is merely like the other, makes nothing outdated. Events that happened stay facts. In doubt, neither.
reason: what cannot be so at once, at most 10 words. confidence: 0 to 1. If nothing is outdated, an empty list.`,
    user: `${fence(DATA, facts.map(shown).join('\n'))}\nCompare ${pairs.map(shownPair).join('; ')}.`,
  }),
};

function shown({ statement, validAt, invalidAt, toldAt, said }: ShownFact, at: number): string {
  const [told, began] = [isoDay(toldAt), isoDay(validAt)];
  const since = validAt < toldAt && began !== told ? ` since ${began}` : '';
  const until = invalidAt === null ? '' : ` until ${isoDay(invalidAt)}`;
  const words = said === '' ? '' : ` said: ${asLabel(said, LONGEST_SAID)}`;
  return `${at + 1} [${told}${since}${until}] ${asLabel(statement, LONGEST_STATEMENT)}${words}`;
}

function shownPair({ fact, others }: OutdatedInput['pairs'][number]): string {
  return `${fact} with ${others.join(', ')}`;
}
