import type { Claim } from './claim.ts';
import { isEnded } from './compare-claims.ts';
import { isCorrection } from './corrections.ts';
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
    const claims = new Map<JudgedFact, readonly Claim[]>();
    const read = (fact: JudgedFact) => {
      const known = claims.get(fact) ?? readClaims(fact);
      claims.set(fact, known);
      return known;
    };
    return facts.flatMap(({ fact, candidates }) =>
      candidates.flatMap((candidate) => decide(fact, candidate, read) ?? []),
    );
  }
}

type Read = (fact: JudgedFact) => readonly Claim[];

function decide(fact: JudgedFact, candidate: JudgedFact, read: Read): Supersession | null {
  if (fact.said !== '' && isCorrection(candidate, fact, read))
    return { old: candidate.id, by: fact.id, kind: 'corrects', at: candidate.validAt };
  const later = laterOf(fact, candidate);
  if (later === null) return null;
  const earlier = later === fact ? candidate : fact;
  const dated = (of: JudgedFact) => read(of).map((claim) => ({ ...claim, validAt: of.validAt }));
  const [old, by] = [dated(earlier), dated(later)];
  if (!old.some((held) => by.some((claim) => isEnded(held, claim)))) return null;
  return { old: earlier.id, by: later.id, kind: 'replaces', at: later.validAt };
}
