import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { isUsableVector } from '../util/rounded-vector.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { type Hit, TopHits } from './top-k.ts';
import { CHUNK_ROWS, type KernelChoice, MAXIMUM_DIMENSION, VectorRows } from './vector-rows.ts';

interface VectorIndexOptions {
  /** Default 'fastest': SIMD if available and if the index has more than 256 rows. */
  readonly kernel?: KernelChoice | undefined;
}

const FORMAT = 2;
const headerSchema = z.object({
  format: z.literal(FORMAT),
  dimension: z.number().int().min(1).max(MAXIMUM_DIMENSION),
});

/**
 * Vectors of one dimension, addressed by ordinals, and their inner products with a query.
 *
 * A vector is rounded to int8 numbers and a scale (`roundVector`), and a query to int16 numbers and a scale. A score is
 * the sum of the products of the integers, which is exact, times both scales: the same bits with and without SIMD, at
 * any ordinal. For unit vectors it is the cosine of the rounded vector, within 2e-5.
 */
export class VectorIndex implements Vectors {
  readonly isWhole = true;
  readonly #rows: VectorRows;
  #size = 0;

  /** @throws InvalidInputError when the dimension is not a whole number from 1 to 65536. */
  constructor(dimension: number, options: VectorIndexOptions = {}) {
    this.#rows = new VectorRows(dimension, options.kernel ?? 'fastest');
  }

  get dimension(): number {
    return this.#rows.dimension;
  }

  /** Number of ordinals with a vector. */
  get size(): number {
    return this.#size;
  }

  /** One more than the highest ordinal ever set: the length that `score` needs. */
  get ordinals(): number {
    return this.#rows.count;
  }

  /** The kernel in use; a small index uses plain JavaScript, with the same results. */
  get kernel(): 'simd' | 'javascript' {
    return this.#rows.kernelName;
  }

  has(ordinal: number): boolean {
    return this.#rows.present[ordinal] === 1;
  }

  isScored(ordinal: number): boolean {
    return this.has(ordinal);
  }

  /** The rounded vector at an ordinal; null if there is none. */
  get(ordinal: number): Float32Array | null {
    return this.has(ordinal) ? this.#rows.read(ordinal) : null;
  }

  /** Whether `set` accepts the vector: of this dimension, finite, and no longer than 1e18. */
  accepts(vector: Float32Array): boolean {
    return vector.length === this.dimension && isUsableVector(vector);
  }

  /**
   * Sets the vector at an ordinal, replacing one there.
   * @throws InvalidInputError for another dimension or for numbers that are not finite; nothing is changed.
   */
  set(ordinal: number, vector: Float32Array): void {
    if (!Number.isInteger(ordinal) || ordinal < 0) {
      throw new InvalidInputError('An ordinal must be a whole number from 0');
    }
    this.#check(vector);
    const added = this.has(ordinal) ? 0 : 1;
    this.#rows.write(ordinal, vector);
    this.#size += added;
  }

  /** Removes a vector and overwrites its numbers with zeros. False if there was none. */
  remove(ordinal: number): boolean {
    if (!this.has(ordinal)) return false;
    this.#rows.erase(ordinal);
    this.#size--;
    return true;
  }

  /**
   * Writes the score of every ordinal; −Infinity where there is no vector, also beyond the last ordinal.
   * @throws InvalidInputError when `out` is shorter than `ordinals`, or for a query that `set` does not accept.
   */
  score(query: Float32Array, out: Float32Array): void {
    const rows = this.#rows;
    if (out.length < rows.count) {
      throw new InvalidInputError(`Scores of ${rows.count} ordinals do not fit into ${out.length} places`);
    }
    this.#check(query);
    rows.setQuery(query);
    for (let first = 0; first < rows.count; first += CHUNK_ROWS)
      rows.score(first, Math.min(CHUNK_ROWS, rows.count - first), out, first);
    out.fill(Number.NEGATIVE_INFINITY, rows.count);
    if (this.#size === rows.count) return;
    for (let ordinal = 0; ordinal < rows.count; ordinal++) {
      if (rows.present[ordinal] === 0) out[ordinal] = Number.NEGATIVE_INFINITY;
    }
  }

  /**
   * Scores by ordinal, 0 where there is no vector; at least `length` of them. For unit vectors: cosines.
   * @throws InvalidInputError for a query that `set` does not accept.
   */
  cosines(query: Float32Array, length = 0): Float32Array {
    const scores = new Float32Array(Math.max(length, this.ordinals));
    this.score(query, scores);
    if (this.#size < scores.length)
      for (let ordinal = 0; ordinal < scores.length; ordinal++)
        if (scores[ordinal] === Number.NEGATIVE_INFINITY) scores[ordinal] = 0;
    return scores;
  }

  /**
   * The k best ordinals, best first; at equal scores the lower ordinal first. Exactly the result of `score` and `topK`.
   * @param only If given, only ordinals with a 1 there are considered.
   * @throws InvalidInputError for a query that `set` does not accept.
   */
  top(query: Float32Array, k: number, only: Uint8Array | null = null): Hit[] {
    this.#check(query);
    const rows = this.#rows;
    rows.setQuery(query);
    const best = new TopHits(Math.floor(Math.min(k, this.#size)) || 0);
    const scores = new Float32Array(CHUNK_ROWS);
    for (let first = 0; first < rows.count; first += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows.count - first);
      rows.score(first, count, scores);
      for (let at = 0; at < count; at++) {
        const ordinal = first + at;
        if (scores[at]! < best.threshold || rows.present[ordinal] === 0) continue;
        if (only === null || only[ordinal] === 1) best.offer(ordinal, scores[at]!);
      }
    }
    return best.hits();
  }

  /** A copy of the index for a snapshot. Removed rows are zeros in it. */
  toSections(): Sections {
    const { integers, scales, present } = this.#rows.packed();
    return new Map<string, Section>([
      ['vector', { json: { format: FORMAT, dimension: this.dimension } }],
      ['present', present],
      ['scales', scales],
      ['integers', integers],
    ]);
  }

  /** Null if the sections are not those of a vector index. */
  static fromSections(sections: Sections, options: VectorIndexOptions = {}): VectorIndex | null {
    const header = sectionJson(sections, 'vector', headerSchema);
    const present = sectionArray(sections, 'present', Uint8Array);
    const scales = sectionArray(sections, 'scales', Float32Array);
    const integers = sectionArray(sections, 'integers', Int8Array);
    if (!header || !present || !scales || !integers) return null;
    if (scales.length !== present.length || integers.length !== present.length * header.dimension)
      return null;
    const index = new VectorIndex(header.dimension, options);
    if (!index.#rows.load({ integers, scales, present })) return null;
    index.#size = present.reduce((sum, flag) => sum + flag, 0);
    return index;
  }

  #check(vector: Float32Array): void {
    if (vector.length !== this.dimension) {
      throw new InvalidInputError(
        `A vector has ${vector.length} numbers where the index holds vectors of ${this.dimension}`,
      );
    }
    if (!isUsableVector(vector))
      throw new InvalidInputError('A vector holds a number that is not finite, or too large');
  }
}

/** Vectors by ordinal, and their inner products with a query; for unit vectors, these are cosines. */
export interface Vectors {
  readonly dimension: number;
  /** Number of ordinals with a vector. */
  readonly size: number;
  /** Whether the vectors of all rows are here, and not only those found for a question. */
  readonly isWhole: boolean;
  /** One more than the highest ordinal ever set. */
  readonly ordinals: number;
  has(ordinal: number): boolean;
  /** Whether `cosines` has its score: it has a vector, or its score was found. */
  isScored(ordinal: number): boolean;
  /** The rounded vector at an ordinal; null if there is none. */
  get(ordinal: number): Float32Array | null;
  /** Whether `set` accepts the vector: of this dimension, finite, and no longer than 1e18. */
  accepts(vector: Float32Array): boolean;
  set(ordinal: number, vector: Float32Array): void;
  /** False if there was none. */
  remove(ordinal: number): boolean;
  /** Writes the score of every ordinal; −Infinity where there is no vector. */
  score(query: Float32Array, out: Float32Array): void;
  /** Scores by ordinal, 0 where there is no vector; at least `length` of them. */
  cosines(query: Float32Array, length?: number): Float32Array;
  /** The k best ordinals, best first; with `only`, among those with a 1 there. */
  top(query: Float32Array, k: number, only?: Uint8Array | null): Hit[];
  toSections(): Sections;
}
