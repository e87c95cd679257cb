import type { FactId } from '../../model/ids.ts';
import { Breather, gradually, type Steps } from '../../util/breathe.ts';
import { append } from '../../util/collections.ts';
import { type DatedClaim, isEnded, isPositive } from './compare-claims.ts';
import { ClaimReading } from './read-claims.ts';
import { type JudgedFact, laterOf } from './superseder.ts';

/** Two facts that hold and cannot both be true; the one that began earlier comes first. */
export type ConflictingFacts = readonly [FactId, FactId];

interface HeldClaim {
  readonly fact: JudgedFact;
  readonly claim: DatedClaim;
}

/** Claims of one holder, family and slot that are compared: the latest ones. */
const MOST_COMPARED = 1_000;
/** Pairs of one group that are collected: those of the latest facts. */
const MOST_PAIRS = 1_000;

/**
 * Pairs of facts that contradict each other by the superseder's rules, although neither has ended the other: both were
 * said on one day, one is of low trust or pinned, or a profile without superseding read them. The rule is applied as if
 * the later fact stated a change, so that cases that the superseder leaves open are found as well.
 *
 * @param facts Facts that are believed and have not ended.
 */
export async function conflictingFacts(facts: Iterable<JudgedFact>): Promise<readonly ConflictingFacts[]> {
  const breather = new Breather();
  const groups = new Map<string, HeldClaim[]>();
  for (const fact of facts) {
    for (const claim of new ClaimReading(fact).all()) {
      const key = JSON.stringify([claim.holder, claim.family, claim.slot]);
      const held = { fact, claim: { ...claim, validAt: fact.validAt, toldAt: fact.told.at } };
      append(groups, key, held);
    }
    await breather.breathe();
  }
  const found = new Map<string, ConflictingFacts>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const pair of await gradually(conflictsIn(group), breather)) found.set(pair.join(' '), pair);
  }
  return [...found.values()];
}

function* conflictsIn(group: readonly HeldClaim[]): Steps<readonly ConflictingFacts[]> {
  const latest = group.toSorted((a, b) => b.claim.validAt - a.claim.validAt).slice(0, MOST_COMPARED);
  const found: ConflictingFacts[] = [];
  for (const [at, one] of latest.entries()) {
    yield;
    for (let next = at + 1; next < latest.length; next++) {
      const other = latest[next]!;
      if (one.fact === other.fact || !mayConflict(one.claim, other.claim)) continue;
      const later = laterOf(one.fact, other.fact);
      const isConflict =
        (later !== other.fact && ends(other, one)) || (later !== one.fact && ends(one, other));
      if (isConflict && found.push(pairOf(one, other, later)) === MOST_PAIRS) return found;
    }
  }
  return found;
}

/**
 * Skips pairs of which `isEnded` knows at once that it is false: two hobbies, two things that somebody owns. A nurse may
 * be a painter as well, and a flat a mess and a two-room place: only words such as "now" give a description up.
 */
function mayConflict(a: DatedClaim, b: DatedClaim): boolean {
  if (a.kind.startsWith('description')) return false;
  if (!isPositive(a) || !isPositive(b)) return true;
  return a.family === 'plan' || (a.isOnly && b.isOnly);
}

function ends(earlier: HeldClaim, later: HeldClaim): boolean {
  return isEnded(earlier.claim, { ...later.claim, isChange: true });
}

function pairOf(one: HeldClaim, other: HeldClaim, later: JudgedFact | null): ConflictingFacts {
  const [a, b] = [one.fact.id, other.fact.id];
  if (later === null) return a < b ? [a, b] : [b, a];
  return later === other.fact ? [a, b] : [b, a];
}
