import type { Sections } from './sections.ts';
import type { Hit } from './top-k.ts';

/** Vectors by ordinal, and their exact inner products with a query; for unit vectors, these are cosines. */
export interface Vectors {
  readonly dimension: number;
  /** Number of ordinals with a vector. */
  readonly size: number;
  /** One more than the highest ordinal ever set. */
  readonly ordinals: number;
  has(ordinal: number): boolean;
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
