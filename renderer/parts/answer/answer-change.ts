import type { GivenAnswer } from '../../../main/contract.ts';

type Compared = Pick<GivenAnswer, 'answered' | 'text' | 'citations'>;

/** How two answers to one question relate. */
export type AnswerRelation = 'same' | 'other' | 'only-first' | 'only-second' | 'neither';

/**
 * Two answers are the same if their words are, or if both cite the same thing first: the wording of one may add what held
 * before.
 */
export function relationOf(first: Compared, second: Compared): AnswerRelation {
  if (!first.answered || !second.answered) {
    if (first.answered) return 'only-first';
    return second.answered ? 'only-second' : 'neither';
  }
  const [a, b] = [first.citations[0]?.item.id, second.citations[0]?.item.id];
  return wordsOf(first.text) === wordsOf(second.text) || (a !== undefined && a === b) ? 'same' : 'other';
}

/** The change from an answer as of a time to the answer of now. */
export function changeSince(then: Compared, now: Compared) {
  const relation = relationOf(then, now);
  if (relation === 'only-first') return 'only-then';
  return relation === 'only-second' ? 'only-now' : relation;
}

const wordsOf = (text: string): string =>
  text
    .replace(/\s*\[\d+(?:[,;]\s*\d+)*\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
