import { Growable } from './ordinals.ts';
import { type Section, type Sections, sectionArray } from './sections.ts';
import type { VectorIndex } from './vector-index.ts';

/** What a turn's own vector, that of its beginning, says of its cosine; its best passage says the rest. */
const BEGINNING = 0.2;

/** The vectors of the passages of turns that their embedder does not see whole. */
export class PassageVectors {
  readonly vectors: VectorIndex;
  /** Per row, the ordinal of its turn. */
  readonly #turns: Growable<Uint32Array>;

  constructor(vectors: VectorIndex, turns = new Uint32Array()) {
    this.vectors = vectors;
    this.#turns = Growable.over(Uint32Array, turns);
  }

  add(turn: number, vector: Float32Array): void {
    if (!this.vectors.accepts(vector)) return;
    this.vectors.set(this.#turns.length, vector);
    this.#turns.push(turn);
  }

  /** Removes the vectors of a turn and overwrites their numbers. */
  remove(turn: number): void {
    if (this.vectors.size === 0) return;
    for (let row = 0; row < this.#turns.length; row++)
      if (this.#turns.data[row] === turn) this.vectors.remove(row);
  }

  /**
   * The cosine of a turn that has passages becomes a weighted mean of its own and its best passage's; measured in
   * docs/decisions/2026-11-29-passages.md.
   *
   * @param cosines By turn; changed in place.
   */
  raise(cosines: Float32Array, query: Float32Array): void {
    if (this.vectors.size === 0) return;
    const ofRows = this.vectors.cosines(query, this.#turns.length);
    const best = new Float32Array(cosines.length).fill(Number.NEGATIVE_INFINITY);
    for (let row = 0; row < ofRows.length; row++) {
      const turn = this.#turns.data[row]!;
      if (this.vectors.has(row) && ofRows[row]! > best[turn]!) best[turn] = ofRows[row]!;
    }
    for (let turn = 0; turn < best.length; turn++)
      if (best[turn]! > Number.NEGATIVE_INFINITY)
        cosines[turn] = BEGINNING * cosines[turn]! + (1 - BEGINNING) * best[turn]!;
  }

  /** Passages by turn. */
  counts(turns: number): Uint32Array {
    const counts = new Uint32Array(turns);
    for (let row = 0; row < this.#turns.length; row++)
      if (this.vectors.has(row)) counts[this.#turns.data[row]!]! += 1;
    return counts;
  }

  toSections(): Sections {
    return new Map<string, Section>([['turns', this.#turns.values()]]);
  }

  /** Null if the section is not that of passages. */
  static fromSections(sections: Sections, vectors: VectorIndex): PassageVectors | null {
    const turns = sectionArray(sections, 'turns', Uint32Array);
    return turns === null || vectors.ordinals > turns.length ? null : new PassageVectors(vectors, turns);
  }
}
