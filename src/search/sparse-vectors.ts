import type { Sections } from './sections.ts';
import { type Hit, topK } from './top-k.ts';
import { VectorIndex, type Vectors } from './vector-index.ts';

/** Vectors of few of many ordinals: takes memory for those that there are. */
export class SparseVectors implements Vectors {
  readonly isWhole: boolean;
  readonly #rows: VectorIndex;
  /** Per ordinal, the place of its vector. */
  readonly #places = new Map<number, number>();
  readonly #ordinalAt: number[] = [];
  #unused: number[] = [];
  /** Scores for one query of ordinals whose vectors are not known. */
  readonly #asked: Float32Array | null;
  readonly #scores = new Map<number, number>();
  #ordinals = 0;

  /**
   * @param asked The query of the scores that are set.
   * @param isWhole Whether every row will have a vector or a score.
   */
  constructor(dimension: number, asked: Float32Array | null = null, isWhole = false) {
    this.isWhole = isWhole;
    this.#rows = new VectorIndex(dimension);
    this.#asked = asked;
  }

  get dimension(): number {
    return this.#rows.dimension;
  }

  get size(): number {
    return this.#places.size;
  }

  get ordinals(): number {
    return this.#ordinals;
  }

  has(ordinal: number): boolean {
    return this.#places.has(ordinal);
  }

  isScored(ordinal: number): boolean {
    return this.#places.has(ordinal) || this.#scores.has(ordinal);
  }

  get(ordinal: number): Float32Array | null {
    const place = this.#places.get(ordinal);
    return place === undefined ? null : this.#rows.get(place);
  }

  accepts(vector: Float32Array): boolean {
    return this.#rows.accepts(vector);
  }

  set(ordinal: number, vector: Float32Array): void {
    const known = this.#places.get(ordinal);
    const place = known ?? this.#unused.at(-1) ?? this.#ordinalAt.length;
    this.#rows.set(place, vector);
    if (known === undefined) this.#unused = this.#unused.filter((each) => each !== place);
    this.#places.set(ordinal, place);
    this.#ordinalAt[place] = ordinal;
    this.#ordinals = Math.max(this.#ordinals, ordinal + 1);
  }

  /** Sets the score that an ordinal without a vector has for the query of the constructor. */
  setScore(ordinal: number, score: number): void {
    this.#scores.set(ordinal, score);
    this.#ordinals = Math.max(this.#ordinals, ordinal + 1);
  }

  remove(ordinal: number): boolean {
    const place = this.#places.get(ordinal);
    if (place === undefined) return false;
    this.#rows.remove(place);
    this.#places.delete(ordinal);
    this.#unused.push(place);
    return true;
  }

  score(query: Float32Array, out: Float32Array): void {
    out.fill(Number.NEGATIVE_INFINITY);
    this.#write(query, out);
  }

  cosines(query: Float32Array, length = 0): Float32Array {
    const scores = new Float32Array(Math.max(length, this.#ordinals));
    this.#write(query, scores);
    return scores;
  }

  top(query: Float32Array, k: number, only: Uint8Array | null = null): Hit[] {
    const scores = new Float32Array(this.#ordinals);
    this.score(query, scores);
    if (only !== null)
      for (let ordinal = 0; ordinal < scores.length; ordinal++)
        if (only[ordinal] !== 1) scores[ordinal] = Number.NEGATIVE_INFINITY;
    return topK(scores, k);
  }

  #write(query: Float32Array, out: Float32Array): void {
    const isAsked = this.#asked?.every((value, place) => value === query[place]) ?? false;
    if (isAsked) for (const [ordinal, score] of this.#scores) out[ordinal] = score;
    const found = this.#rows.cosines(query);
    for (const [ordinal, place] of this.#places) out[ordinal] = found[place]!;
  }

  /** Empty: they are no part of snapshots. */
  toSections(): Sections {
    return new Map();
  }
}
