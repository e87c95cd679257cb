import type { Embedder, VectorMeaning } from '../../inference/embedder.ts';
import type { Vectors } from '../../search/vector-index.ts';

/** From so many standard deviations above the mean on, a cosine says something. */
const LEAST_DEVIATION = 0.5;
/** What less says, compared with that, so that a row which nothing else speaks for still has a place. */
const BELOW = 0.05;

/** The mean of few rows says little of an embedder: with so many rows it is moved a quarter of the way to 0. */
const PRIOR_ROWS = 10;

/**
 * How the vectors of each kind of embedder are read; measured in docs/decisions/2026-11-29-meaning.md and
 * 2026-11-29-static-table.md. `power`: of a text's length, compared with the average, by which what its cosine says is
 * scaled. `weight`: of vectors in a sum with words.
 */
export const VECTORS_READ: Readonly<
  Record<VectorMeaning, { readonly power: number; readonly weight: number }>
> = {
  words: { power: 0.25, weight: 0.5 },
  text: { power: 0, weight: 1.2 },
};

/** Tokens of an encoder for one index term, which leaves out the most common words. */
const TOKENS_OF_TERM = 2.5;
const POWER_SEEN = 0.25;

/**
 * By how much less the vector of a turn says where its embedder saw only the beginning; measured in
 * docs/decisions/2026-11-29-passages.md.
 *
 * @param terms Length of the turn in index terms.
 */
export function shareSeen(
  terms: number,
  { maxTokens = Number.POSITIVE_INFINITY }: Pick<Embedder, 'maxTokens'>,
): number {
  return Math.min(1, maxTokens / (TOKENS_OF_TERM * terms)) ** POWER_SEEN;
}

/**
 * What cosines say: how many standard deviations each is above the mean of all rows for this question, and next to
 * nothing where that is little, since a trained encoder gives every text 0.4 to 0.8. Where only the nearest rows are known (a scope too
 * large to hold), above the least of these.
 *
 * @param cosines By ordinal; changed in place.
 */
export function calibrate(
  cosines: Float32Array,
  vectors: Pick<Vectors, 'isScored' | 'isWhole'>,
): Float32Array {
  let [count, sum, squares, least] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (let row = 0; row < cosines.length; row++) {
    if (!vectors.isScored(row)) continue;
    const cosine = cosines[row]!;
    count += 1;
    sum += cosine;
    squares += cosine * cosine;
    if (cosine < least) least = cosine;
  }
  const mean = sum / Math.max(1, count);
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean));
  const [from, cut] = vectors.isWhole ? [mean, LEAST_DEVIATION] : [least, 0];
  const trust = 1 - (PRIOR_ROWS / (count + PRIOR_ROWS)) ** 2;
  for (let row = 0; row < cosines.length; row++) {
    const above = (cosines[row]! - trust * from) / (deviation || 1);
    if (!(cosines[row]! > 0 && vectors.isScored(row))) cosines[row] = 0;
    else cosines[row] = above > trust * cut ? above : BELOW * cut * Math.exp(above - cut);
  }
  return cosines;
}
