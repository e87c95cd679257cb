import type { ModelCallOptions } from '../../inference/language-model.ts';
import type {
  FactWithCandidates,
  JudgedFact,
  Superseder,
  Supersession,
} from '../../ingest/supersede/superseder.ts';

/**
 * Gives a superseder the same object for a fact each time, as long as nothing in it changes: rules keep what they have
 * read in a statement by the object, and in a replay a fact is a candidate of many batches.
 */
export class RememberingSuperseder implements Superseder {
  readonly #superseder: Superseder;
  readonly #facts = new Map<string, JudgedFact>();

  constructor(superseder: Superseder) {
    this.#superseder = superseder;
  }

  concerns(fact: JudgedFact): boolean {
    return this.#superseder.concerns(this.#same(fact));
  }

  supersede(
    facts: readonly FactWithCandidates[],
    options?: ModelCallOptions,
  ): Promise<readonly Supersession[]> {
    const same = facts.map(({ fact, candidates }) => ({
      fact: this.#same(fact),
      candidates: candidates.map((each) => this.#same(each)),
    }));
    return this.#superseder.supersede(same, options);
  }

  #same(fact: JudgedFact): JudgedFact {
    const key = JSON.stringify({ ...fact, names: [...fact.names] });
    const known = this.#facts.get(key);
    if (known !== undefined) return known;
    this.#facts.set(key, fact);
    return fact;
  }
}
