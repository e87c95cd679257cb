import type { Sections } from './sections.ts';
import type { Hit } from './top-k.ts';
import { VectorIndex } from './vector-index.ts';
import type { Vectors } from './vectors.ts';

/**
 * Vectors of few of many ordinals: takes memory for those that there are. Ties go to the vector that was set first, so
 * set them in the order of their ordinals.
 */
export class SparseVectors implements Vectors {
  readonly #rows: VectorIndex;
  /** Per ordinal, the place of its vector. */
  readonly #places = new Map<number, number>();
  readonly #ordinalAt: number[] = [];
  #unused: number[] = [];
  #ordinals = 0;

  constructor(dimension: number) {
    this.#rows = new VectorIndex(dimension);
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

  remove(ordinal: number): boolean {
    const place = this.#places.get(ordinal);
    if (place === undefined) return false;
    this.#rows.remove(place);
    this.#places.delete(ordinal);
    this.#unused.push(place);
    return true;
  }

  score(query: Float32Array, out: Float32Array): void {
    const found = this.#rows.cosines(query);
    out.fill(Number.NEGATIVE_INFINITY);
    for (const [ordinal, place] of this.#places) out[ordinal] = found[place]!;
  }

  cosines(query: Float32Array, length = 0): Float32Array {
    const scores = new Float32Array(Math.max(length, this.#ordinals));
    const found = this.#rows.cosines(query);
    for (const [ordinal, place] of this.#places) scores[ordinal] = found[place]!;
    return scores;
  }

  top(query: Float32Array, k: number, only: Uint8Array | null = null): Hit[] {
    const places = only && Uint8Array.from(this.#ordinalAt, (ordinal) => only[ordinal] ?? 0);
    const hits = this.#rows.top(query, k, places);
    return hits.map(({ ordinal: place, score }) => ({ ordinal: this.#ordinalAt[place]!, score }));
  }

  /** Empty: they are no part of snapshots. */
  toSections(): Sections {
    return new Map();
  }
}
