import { type DatedClaim, isEnded } from './compare-claims.ts';
import { type Correction, correctionIn, takesBack } from './corrections.ts';
import { readClaims } from './read-claims.ts';
import {
  type FactWithCandidates,
  type JudgedFact,
  laterOf,
  type Superseder,
  type Supersession,
} from './superseder.ts';

/** Judges by rules on families of relations. English. */
export class LocalSuperseder implements Superseder {
  concerns(fact: JudgedFact): boolean {
    return readClaims(fact).length > 0;
  }

  async supersede(facts: readonly FactWithCandidates[]): Promise<readonly Supersession[]> {
    const readings = new Map<JudgedFact, Reading>();
    const read = (fact: JudgedFact): Reading => {
      const known = readings.get(fact);
      if (known !== undefined) return known;
      const claims = readClaims(fact).map((claim) => ({ ...claim, validAt: fact.validAt }));
      const reading = { fact, claims, correction: correctionIn(fact) };
      readings.set(fact, reading);
      return reading;
    };
    return facts.flatMap(({ fact, candidates }) => {
      const asked = read(fact);
      if (asked.claims.length === 0) return [];
      return candidates.flatMap((candidate) => decide(asked, read(candidate)) ?? []);
    });
  }
}

interface Reading {
  readonly fact: JudgedFact;
  readonly claims: readonly DatedClaim[];
  readonly correction: Correction | null;
}

function decide(asked: Reading, candidate: Reading): Supersession | null {
  if (candidate.claims.length === 0) return null;
  const [said, before] = asked.fact.order < candidate.fact.order ? [candidate, asked] : [asked, candidate];
  if (isTakenBack(before, said))
    return { old: before.fact.id, by: said.fact.id, kind: 'corrects', at: before.fact.validAt };
  const later = laterOf(asked.fact, candidate.fact);
  if (later === null) return null;
  const [old, by] = later === asked.fact ? [candidate, asked] : [asked, candidate];
  if (!old.claims.some((held) => by.claims.some((claim) => isEnded(held, claim)))) return null;
  return { old: old.fact.id, by: by.fact.id, kind: 'replaces', at: later.validAt };
}

function isTakenBack(before: Reading, { fact, claims, correction }: Reading): boolean {
  if (correction === null || fact.order === before.fact.order) return false;
  return before.claims.some((old) => claims.some((claim) => takesBack(correction, old, claim)));
}
