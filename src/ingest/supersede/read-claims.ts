import type { Claim, Family, FamilyRules } from './claim.ts';
import { age } from './families/age.ts';
import { attitude } from './families/attitude.ts';
import { attribute } from './families/attribute.ts';
import { habit } from './families/habit.ts';
import { home } from './families/home.ts';
import { job } from './families/job.ts';
import { partner } from './families/partner.ts';
import { plan } from './families/plan.ts';
import { possession } from './families/possession.ts';
import { state } from './families/state.ts';
import { readPredicates } from './predicate.ts';
import type { JudgedFact } from './superseder.ts';

export const FAMILY_RULES: Readonly<Record<Family, FamilyRules>> = {
  home,
  job,
  partner,
  age,
  attitude,
  state,
  habit,
  possession,
  attribute,
  plan,
};
/** A photo is described, not told. */
const SHOWN = /\bshared a photo\b/;

/** What a statement says of its holders, in the families that can become outdated. */
export function readClaims(fact: JudgedFact): Claim[] {
  if (SHOWN.test(fact.statement)) return [];
  const claims = readPredicates(fact).flatMap((predicate) =>
    Object.values(FAMILY_RULES)
      .flatMap((rules) => rules.read(predicate))
      .map((read) => ({
        ...read,
        holder: predicate.holder,
        holderName: predicate.holderName,
        event: fact.event,
      })),
  );
  const seen = new Set<string>();
  return claims.filter(({ holder, family, slot, phase, kind, verb, value }) => {
    const key = JSON.stringify([holder, family, slot, phase, kind, verb, [...value]]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Words by which other facts of the same families are found. */
export function cuesOf(fact: JudgedFact): string {
  return [...new Set(readClaims(fact).map(({ family }) => family))]
    .map((family) => FAMILY_RULES[family].cues)
    .join(' ');
}
