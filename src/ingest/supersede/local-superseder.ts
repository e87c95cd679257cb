import type { Family } from './claim.ts';
import { type DatedClaim, isEnded } from './compare-claims.ts';
import { type Correction, correctionIn, takesBack } from './corrections.ts';
import { meantIn, takenBackBy } from './meant.ts';
import { ClaimReading } from './read-claims.ts';
import {
  type FactWithCandidates,
  type JudgedFact,
  laterOf,
  type Superseder,
  type Supersession,
} from './superseder.ts';

/** Judges by rules on families of relations. English. */
export class LocalSuperseder implements Superseder {
  /** A fact is looked at as a new one and as a candidate of others. */
  readonly #readings = new WeakMap<JudgedFact, Reading>();

  concerns(fact: JudgedFact): boolean {
    return this.#read(fact).claims.all().length > 0 || meantIn(fact) !== null;
  }

  async supersede(facts: readonly FactWithCandidates[]): Promise<readonly Supersession[]> {
    return facts.flatMap(({ fact, candidates }) => {
      const meant = this.#meant(fact, candidates);
      if (meant !== null) return [meant];
      const asked = this.#read(fact);
      const families = [...new Set(asked.claims.all().map(({ family }) => family))];
      return candidates.flatMap((each) => decide(asked, this.#read(each), families) ?? []);
    });
  }

  #meant(fact: JudgedFact, candidates: readonly JudgedFact[]): Supersession | null {
    const meant = meantIn(fact);
    if (meant === null) return null;
    const read = candidates.map((each) => ({ fact: each, claims: this.#read(each).claims.all() }));
    const old = takenBackBy(fact, meant, read);
    return old === null ? null : { old: old.id, by: fact.id, kind: 'corrects', at: old.validAt };
  }

  #read(fact: JudgedFact): Reading {
    const known = this.#readings.get(fact);
    if (known !== undefined) return known;
    const reading = { fact, claims: new ClaimReading(fact), correction: correctionIn(fact) };
    this.#readings.set(fact, reading);
    return reading;
  }
}

interface Reading {
  readonly fact: JudgedFact;
  readonly claims: ClaimReading;
  readonly correction: Correction | null;
}

/** @param families Those in which both may say something: only claims of one family are compared. */
function decide(asked: Reading, candidate: Reading, families: readonly Family[]): Supersession | null {
  const [said, before] = asked.fact.order < candidate.fact.order ? [candidate, asked] : [asked, candidate];
  if (isTakenBack(before, said, families))
    return { old: before.fact.id, by: said.fact.id, kind: 'corrects', at: before.fact.validAt };
  const later = laterOf(asked.fact, candidate.fact);
  if (later === null) return null;
  const [old, by] = later === asked.fact ? [candidate, asked] : [asked, candidate];
  if (!areAny(old, by, { families, are: isEnded })) return null;
  return { old: old.fact.id, by: by.fact.id, kind: 'replaces', at: later.validAt };
}

function isTakenBack(before: Reading, said: Reading, families: readonly Family[]): boolean {
  const { fact, correction } = said;
  if (correction === null || fact.order === before.fact.order) return false;
  return areAny(before, said, { families, are: (old, claim) => takesBack(correction, old, claim) });
}

function areAny(
  old: Reading,
  by: Reading,
  { families, are }: { families: readonly Family[]; are: (old: DatedClaim, by: DatedClaim) => boolean },
): boolean {
  return families.some((family) => {
    const later = dated(by, family);
    return later.length > 0 && dated(old, family).some((held) => later.some((claim) => are(held, claim)));
  });
}

function dated({ fact: { validAt }, claims }: Reading, family: Family): readonly DatedClaim[] {
  return claims.claims(family).map((claim) => ({ ...claim, validAt }));
}
