import type { z } from 'zod';
import type { Objection } from '../../../model/prompt.ts';
import { alsoCalled, replyList } from '../../../prompts/reply-parts.ts';

/** The list of a reply that holds what the turns state; with the names that models give it. */
export function factList<Item>(item: z.ZodType<Item>) {
  return alsoCalled(
    replyList(item),
    ...['fact', 'statements', 'memories', 'memory', 'propositions', 'claims', 'triplets', 'triples'],
    ...['relations', 'relationships', 'observations', 'extracted_facts', 'results', 'items', 'data'],
  );
}

/** Pronouns that begin a sentence, alone or before a noun. */
const OPEN =
  /^["'“‘(]*(?:i(?:['’](?:m|ve|d|ll))?|we(?:['’](?:re|ve|d|ll))?|you(?:['’](?:re|ve|d|ll))?|s?he(?:['’](?:s|d|ll))?|they(?:['’](?:re|ve|d|ll))?|it(?:['’](?:s|d|ll))?|my|our|your|his|her|their|its|this|that(?:['’]s)?|these|those)(?![\p{L}\p{N}'’-])/iu;

/** Whether a statement does not say about whom or what it is: it begins with a pronoun. */
export function isOpen(statement: string): boolean {
  return OPEN.test(statement);
}

interface Stated {
  readonly statement: string;
  readonly turns: readonly number[];
}

/** The numbers of turns in a reply, by list. */
export interface Citing {
  readonly keep?: readonly number[];
  readonly entities?: readonly (Pick<Stated, 'turns'> | null)[];
  readonly facts: readonly (Pick<Stated, 'turns'> | null)[];
}

/** Whether a reply counts its turns from 0: it cites several, turn 0 among them, and none beyond the last but one. */
export function countsFromZero({ keep = [], entities = [], facts }: Citing, turns: number): boolean {
  const cited = new Set([...keep, ...[...entities, ...facts].flatMap((each) => each?.turns ?? [])]);
  if (cited.size < 2 || !cited.has(0)) return false;
  return [...cited].every((number) => Number.isInteger(number) && number >= 0 && number < turns);
}

/**
 * The objection to facts that cannot be stored: entries without a statement, or without the number of a turn. A single
 * turn is the source of all facts.
 */
export function objectionToFacts(
  facts: readonly (Stated | null)[],
  { turns, reply }: { readonly turns: number; readonly reply: Citing },
): Objection | null {
  if (facts.length === 0) return null;
  const stated = facts.filter((fact) => fact !== null && /[\p{L}\p{N}]/u.test(fact.statement)) as Stated[];
  if (stated.length === 0) return { issue: 'no entry of the list of facts states anything', use: 'never' };
  const least = countsFromZero(reply, turns) ? 0 : 1;
  const isCited = (fact: Stated) =>
    turns === 1 || fact.turns.some((number) => number >= least && number < turns + least);
  const cited = stated.filter(isCited).length;
  const issue = `entries lack, in turns, the numbers of the turns that state them (${least} to ${turns + least - 1})`;
  if (cited === 0) return { issue, use: 'never' };
  if (2 * stated.filter(({ statement }) => isOpen(statement)).length > stated.length)
    return { issue: 'statements begin with "I", "she", "it": begin them with names', use: 'else' };
  const uncited =
    turns > 1 && stated.some((fact) => fact.turns.every((number) => number === 0 && least === 1));
  return uncited || stated.length < facts.length
    ? { issue: uncited ? issue : 'some entries of the list of facts state nothing', use: 'else' }
    : null;
}
