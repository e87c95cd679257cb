import { CancelledError } from '../../errors/index.ts';
import { cosine } from '../../util/dot-product.ts';
import { DEVIATIONS, FEWEST_TURNS, WINDOW_TURNS } from './defaults.ts';
import type { Segmenter, SegmentOptions, TurnToSegment } from './segmenter.ts';

interface MinimaOptions {
  /** A minimum must be this many standard deviations below the mean. */
  readonly deviations: number;
  /** Number of positions at either end that are ignored. */
  readonly margin: number;
}

/**
 * Positions of the local minima that are clearly below the mean, ascending. The first position of a flat minimum
 * counts. Null values are ignored in the mean; a value next to one, or next to an end, counts as lower than it.
 */
export function findMinima(
  values: readonly (number | null)[],
  { deviations, margin }: MinimaOptions,
): number[] {
  const known = values.filter((value) => value !== null);
  const threshold = meanOf(known) - deviations * deviationOf(known);
  const minima: number[] = [];
  for (let at = margin; at < values.length - margin; at++) {
    const value = values[at];
    if (value !== null && value !== undefined && value < threshold && isMinimum(values, at, value))
      minima.push(at);
  }
  return minima;
}

function isMinimum(values: readonly (number | null)[], at: number, value: number): boolean {
  if (value >= (values[at - 1] ?? Infinity)) return false;
  let next = at + 1;
  while (values[next] === value) next += 1;
  return value < (values[next] ?? Infinity);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation of the whole population: the values are all boundaries of the unit, not a sample. */
function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

/** Smaller differences between two cosines are rounding errors, not changes of topic. */
const STEPS = 1e6;

/**
 * The cosine between the windows on both sides of every boundary: the last `size` turns up to turn i and the first
 * `size` turns from i + 1, fewer at the ends (docs/papers.md §3.1). One number per boundary, from −1 to 1; null if a
 * window has only turns without features, so that nothing is known about the topic.
 *
 * A window's vector is the sum of its turns' vectors. Cosines are rounded to six digits, so that equal windows are
 * equal.
 */
export function windowSimilarities(vectors: readonly Float32Array[], size: number): (number | null)[] {
  const similarities: (number | null)[] = [];
  for (let boundary = 0; boundary + 1 < vectors.length; boundary++) {
    const before = vectors.slice(Math.max(0, boundary + 1 - size), boundary + 1);
    const after = vectors.slice(boundary + 1, boundary + 1 + size);
    const similarity = cosine(sumOf(before), sumOf(after));
    similarities.push(similarity === null ? null : Math.round(similarity * STEPS) / STEPS);
  }
  return similarities;
}

function sumOf(vectors: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors)
    for (let place = 0; place < sum.length; place++) sum[place]! += vector[place]!;
  return sum;
}

/**
 * The local tier's segmenter (docs/papers.md §3.1): cuts where the cosine between the three turns before and after a
 * boundary has a local minimum below the mean of all boundaries − 0.5 standard deviations. Deterministic; linear in
 * the turns. Two minima are never adjacent, and the ends have a margin, so units have at least two turns.
 */
export class SimilaritySegmenter implements Segmenter {
  async boundaries(
    turns: readonly TurnToSegment[],
    { signal }: SegmentOptions = {},
  ): Promise<readonly number[]> {
    if (signal?.aborted) throw new CancelledError('the turns stay in the buffer', signal.reason);
    const vectors = turns.map(({ vector }) => vector);
    return findMinima(windowSimilarities(vectors, WINDOW_TURNS), {
      deviations: DEVIATIONS,
      margin: FEWEST_TURNS - 1,
    });
  }
}
