import { type Claim, FAMILIES, type Family, type FamilyRules } from './claim.ts';
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
import { type HolderPredicate, isQualified, readPredicates } from './predicate.ts';
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

/** What a statement says of its holders, family by family, each read when it is asked for. */
export class ClaimReading {
  readonly #fact: JudgedFact;
  readonly #read = new Map<Family, readonly Claim[]>();
  #predicates: readonly HolderPredicate[] | null = null;

  constructor(fact: JudgedFact) {
    this.#fact = fact;
  }

  claims(family: Family): readonly Claim[] {
    const known = this.#read.get(family);
    if (known !== undefined) return known;
    this.#predicates ??= SHOWN.test(this.#fact.statement) ? [] : readPredicates(this.#fact);
    const claims = readFamily(family, this.#predicates, this.#fact);
    this.#read.set(family, claims);
    return claims;
  }

  all(): Claim[] {
    return FAMILIES.flatMap((family) => this.claims(family));
  }
}

function readFamily(
  family: Family,
  predicates: readonly HolderPredicate[],
  { event }: JudgedFact,
): readonly Claim[] {
  const seen = new Set<string>();
  return predicates
    .flatMap((predicate) => {
      const { holder, holderName, text } = predicate;
      const isSeveral = / and /.test(text);
      return FAMILY_RULES[family]
        .read(predicate)
        .filter(({ phase }) => phase !== 'denies' || !isQualified(text.split(' and ')[0]!))
        .map((read) => ({ ...read, holder, holderName, event, isSeveral }));
    })
    .filter(({ holder, slot, phase, kind, verb, value }) => {
      const key = JSON.stringify([holder, slot, phase, kind, verb, [...value]]);
      return !seen.has(key) && seen.add(key);
    });
}

/** What a statement says of its holders, in the families that can become outdated. */
export function readClaims(fact: JudgedFact): Claim[] {
  return new ClaimReading(fact).all();
}

/** Words by which other facts of the same families are found. */
export function cuesOf(fact: JudgedFact): string {
  return [...new Set(readClaims(fact).map(({ family }) => family))]
    .map((family) => FAMILY_RULES[family].cues)
    .join(' ');
}
