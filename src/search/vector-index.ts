import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { type Hit, TopHits } from './top-k.ts';
import {
  CHUNK_ROWS,
  type KernelChoice,
  MAXIMUM_DIMENSION,
  roundToInt16,
  VectorRows,
  vectorNorm,
} from './vector-rows.ts';

/** If more than this part of the rows remains, scoring every row is faster. */
const WORTHWHILE = 1 / 8;

/**
 * Every ordinal that may be among the k best, and few others, selected by the int8 rows, which take a quarter of the
 * memory; null if too many remain. `norm` is the length of the query; `eligible` holds 1 for each row to consider.
 *
 * With a row x = s·X + e (X int8) and the query q = t·Q + f (Q int16), |q·x − s·t·(Q·X)| ≤ |q||e| + |f||sX| and |sX| ≤
 * |x| + |e|. The float32 score differs from q·x by at most γ|q||x|, where γ counts its additions, plus underflow. So
 * each row's score is within estimate ± slack. The k-th best lower bound seen is at most the k-th best score: a row
 * with a lower upper bound is excluded; a tie is kept.
 */
function sieve(
  rows: VectorRows,
  query: Float32Array,
  { norm, k, eligible }: { norm: number; k: number; eligible: Uint8Array },
): number[] | null {
  rows.roundAll();
  const { scale, error } = roundToInt16(query, rows.roundedQuery());
  const perError = norm + error;
  const perNorm = error + (rows.stride / 16 + 8) * 2 ** -24 * 1.01 * norm;
  const underflow = rows.stride * 1e-44;
  const { scales, errors, norms } = rows;
  const lowerBounds = new TopHits(k);
  let threshold = lowerBounds.threshold;
  const ordinals: number[] = [];
  const upperBounds: number[] = [];
  for (let first = 0; first < rows.count; first += CHUNK_ROWS) {
    const products = rows.dotInt8(first, Math.min(CHUNK_ROWS, rows.count - first));
    for (let at = 0, ordinal = first; at < products.length; at++, ordinal++) {
      const estimate = products[at]! * scales[ordinal]! * scale;
      const slack = errors[ordinal]! * perError + norms[ordinal]! * perNorm + underflow;
      if (estimate + slack < threshold || eligible[ordinal] === 0) continue;
      lowerBounds.offer(ordinal, estimate - slack);
      threshold = lowerBounds.threshold;
      ordinals.push(ordinal);
      upperBounds.push(estimate + slack);
    }
    if (ordinals.length > rows.count * WORTHWHILE) return null;
  }
  return ordinals.filter((_, at) => upperBounds[at]! >= threshold);
}

interface VectorIndexOptions {
  /** Default 'fastest': SIMD if available and if the index has more than 256 rows. */
  readonly kernel?: KernelChoice | undefined;
}

/** Below this number of rows, or if more than this part of them is requested, the sieve does not pay off. */
const FEWEST_SIEVED = 1_024;
const LARGEST_PART = 1 / 16;

const FORMAT = 1;
const headerSchema = z.object({
  format: z.literal(FORMAT),
  dimension: z.number().int().min(1).max(MAXIMUM_DIMENSION),
});

/**
 * Vectors of one dimension, addressed by ordinals, and their exact inner products with a query.
 *
 * A score is the float32 inner product that kernels/dot-product.wat defines: the same bits with and without SIMD, at
 * any ordinal. For unit vectors it is the cosine.
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

  /** A copy of the vector at an ordinal; null if there is none. */
  get(ordinal: number): Float32Array | null {
    return this.has(ordinal) ? this.#rows.read(ordinal) : null;
  }

  /** Whether `set` accepts the vector: of this dimension, finite, and no longer than 1e18. */
  accepts(vector: Float32Array): boolean {
    return vector.length === this.dimension && vectorNorm(vector) !== null;
  }

  /**
   * Sets the vector at an ordinal, replacing one there.
   * @throws InvalidInputError for another dimension or for numbers that are not finite; nothing is changed.
   */
  set(ordinal: number, vector: Float32Array): void {
    if (!Number.isInteger(ordinal) || ordinal < 0) {
      throw new InvalidInputError('An ordinal must be a whole number from 0');
    }
    const norm = this.#checked(vector);
    const added = this.has(ordinal) ? 0 : 1;
    this.#rows.write(ordinal, vector, norm);
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
    this.#checked(query);
    rows.setQuery(query);
    for (let first = 0; first < rows.count; first += CHUNK_ROWS) {
      out.set(rows.dot(first, Math.min(CHUNK_ROWS, rows.count - first)), first);
    }
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
    const norm = this.#checked(query);
    this.#rows.setQuery(query);
    const wanted = Math.floor(Math.min(k, this.#size));
    if (!(wanted >= 1)) return [];
    const worthwhile = this.#rows.count >= FEWEST_SIEVED && wanted <= this.#size * LARGEST_PART;
    const eligible = only === null ? this.#rows.present : this.#presentOf(only);
    const candidates = worthwhile ? sieve(this.#rows, query, { norm, k: wanted, eligible }) : null;
    return candidates === null ? this.#topOfAll(wanted, eligible) : this.#topOf(candidates, wanted);
  }

  /** A copy of the index for a snapshot. Removed rows are zeros in it. */
  toSections(): Sections {
    return new Map<string, Section>([
      ['vector', { json: { format: FORMAT, dimension: this.dimension } }],
      ['present', this.#rows.present.slice(0, this.#rows.count)],
      ['vectors', this.#rows.packed()],
    ]);
  }

  /** Null if the sections are not those of a vector index. */
  static fromSections(sections: Sections, options: VectorIndexOptions = {}): VectorIndex | null {
    const header = sectionJson(sections, 'vector', headerSchema);
    const present = sectionArray(sections, 'present', Uint8Array);
    const vectors = sectionArray(sections, 'vectors', Float32Array);
    if (!header || !present || !vectors) return null;
    if (vectors.length !== present.length * header.dimension) return null;
    if (!present.every((flag) => flag <= 1)) return null;
    const index = new VectorIndex(header.dimension, options);
    if (!index.#rows.load(vectors, present)) return null;
    index.#size = present.reduce((sum, flag) => sum + flag, 0);
    return index;
  }

  #presentOf(only: Uint8Array): Uint8Array {
    const { present, count } = this.#rows;
    const both = new Uint8Array(count);
    for (let ordinal = 0; ordinal < count; ordinal++)
      both[ordinal] = present[ordinal]! & (only[ordinal] ?? 0);
    return both;
  }

  #topOfAll(k: number, eligible: Uint8Array): Hit[] {
    const rows = this.#rows;
    const best = new TopHits(k);
    for (let first = 0; first < rows.count; first += CHUNK_ROWS) {
      const scores = rows.dot(first, Math.min(CHUNK_ROWS, rows.count - first));
      for (let at = 0; at < scores.length; at++) {
        if (scores[at]! >= best.threshold && eligible[first + at] === 1) {
          best.offer(first + at, scores[at]!);
        }
      }
    }
    return best.hits();
  }

  #topOf(ordinals: readonly number[], k: number): Hit[] {
    const best = new TopHits(k);
    for (const ordinal of ordinals) best.offer(ordinal, this.#rows.dot(ordinal, 1)[0]!);
    return best.hits();
  }

  #checked(vector: Float32Array): number {
    if (vector.length !== this.dimension) {
      throw new InvalidInputError(
        `A vector has ${vector.length} numbers where the index holds vectors of ${this.dimension}`,
      );
    }
    const norm = vectorNorm(vector);
    if (norm === null)
      throw new InvalidInputError('A vector holds a number that is not finite, or too large');
    return norm;
  }
}

/** Vectors by ordinal, and their exact inner products with a query; for unit vectors, these are cosines. */
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
  /** A copy of the vector at an ordinal; null if there is none. */
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
