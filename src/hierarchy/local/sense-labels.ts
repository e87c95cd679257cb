import type { NounSense, NounTaxonomy } from '../../inference/taxonomy/noun-taxonomy.ts';
import { type Label, specificOf, type Vocabulary } from './vocabulary.ts';

/** Where a meaning belongs, and what stands between. */
export interface SensePlace {
  readonly labels: readonly Label[];
  /** The meaning and its kinds below the labels, the nearest first: categories finer than the vocabulary's. */
  readonly finer: readonly NounSense[];
}

const NOWHERE: SensePlace = { labels: [], finer: [] };

/** Climbs from meanings to the labels nearest above. What it remembers is numbers of the taxonomy, no text. */
export class SenseLabels {
  readonly #taxonomy: NounTaxonomy;
  readonly #vocabulary: Vocabulary;
  readonly #places = new Map<NounSense, SensePlace>();

  constructor(taxonomy: NounTaxonomy, vocabulary: Vocabulary) {
    this.#taxonomy = taxonomy;
    this.#vocabulary = vocabulary;
  }

  placeOf(sense: NounSense): SensePlace {
    const known = this.#places.get(sense);
    if (known !== undefined) return known;
    const place = this.#find(sense);
    this.#places.set(sense, place);
    return place;
  }

  /** Each path upwards ends at its first label, and the nearest of them count. */
  #find(sense: NounSense): SensePlace {
    let ring: readonly NounSense[] = [sense];
    const finer: NounSense[] = [];
    const found: { label: Label; distance: number }[] = [];
    for (let distance = 0; ring.length > 0; distance++) {
      const open: NounSense[] = [];
      for (const each of ring) {
        const labels = this.#vocabulary.anchoredAt(each);
        found.push(...labels.map((label) => ({ label, distance })));
        if (labels.length === 0) open.push(each);
      }
      if (found.length === 0) finer.push(...open);
      ring = [...new Set(open.flatMap((each) => this.#taxonomy.parentsOf(each)))];
    }
    return found.length === 0 ? NOWHERE : { labels: nearest(found), finer };
  }
}

function nearest(found: readonly { label: Label; distance: number }[]): readonly Label[] {
  const specific = specificOf(found.map(({ label }) => label));
  const kept = found.filter(({ label }) => specific.includes(label));
  const fine = kept.filter(({ label }) => label.parent !== null);
  const chosen = fine.length > 0 ? fine : kept;
  const least = Math.min(...chosen.map(({ distance }) => distance));
  return [...new Set(chosen.filter(({ distance }) => distance === least).map(({ label }) => label))];
}
