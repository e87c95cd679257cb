import type { EntityId } from '../../model/ids.ts';
import type { Claim } from './claim.ts';
import { isPositive } from './compare-claims.ts';
import { wordsOf } from './predicate.ts';
import type { JudgedFact } from './superseder.ts';

/** "Mara meant Bruges, not Ghent": of a statement of another session only the word that was wrong is left. */
const MEANT = /^(.{1,60}?) (?:really |actually |just )?meant (.{1,40}?),? (?:and )?not (.{1,40}?)[.!]?$/;
const SOON = 2 * 86_400_000;

interface Meant {
  readonly speaker: EntityId;
  readonly rejected: ReadonlySet<string>;
}

/** Null for a fact that is no such correction. Not of who names no wrong word: it may be of anything that was said. */
export function meantIn({ statement, names }: JudgedFact): Meant | null {
  const [, speaker, , wrong] = MEANT.exec(statement) ?? [];
  if (speaker === undefined || wrong === undefined) return null;
  const found = [...names].find(([, all]) => all.includes(speaker));
  const rejected = wordsOf(wrong.replace(/^(?:in|at|on|to|for|as|with|the|an?) /, ''));
  return found === undefined || rejected.size === 0 ? null : { speaker: found[0], rejected };
}

export interface MeantCandidate {
  readonly fact: JudgedFact;
  readonly claims: readonly Claim[];
}

/**
 * What was meant otherwise: the one thing that the speaker said of himself with the wrong word, within two days. Null
 * where there are several, and nobody knows which.
 */
export function takenBackBy(
  fact: JudgedFact,
  { speaker, rejected }: Meant,
  candidates: readonly MeantCandidate[],
): JudgedFact | null {
  const [found, ...others] = candidates.filter(({ fact: { order, validAt }, claims }) => {
    const isBefore = order < fact.order && validAt <= fact.validAt && fact.validAt - validAt <= SOON;
    return isBefore && claims.some((claim) => isSaidWith(claim, speaker, rejected));
  });
  return found === undefined || others.length > 0 ? null : found.fact;
}

function isSaidWith(claim: Claim, speaker: EntityId, rejected: ReadonlySet<string>): boolean {
  const says = [...rejected].every((word) => claim.value.has(word));
  return claim.holder === speaker && isPositive(claim) && says;
}
