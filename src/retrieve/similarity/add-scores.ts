import { topK } from '../../search/top-k.ts';

/** The unit of a score is the mean of so many of the best, of those that are at least this share of the best. */
const UNIT_OF = 50;
const LEAST_SHARE = 0.1;

/** One of the scores of a sum. */
export interface Summand {
  readonly scores: Float32Array;
  readonly weight: number;
}

/**
 * One sum of scores that have different units: each divided by the mean of its best, and weighted. Unlike reciprocal
 * ranks it keeps by how much the best are ahead.
 */
export function addScores(summands: readonly Summand[]): Float32Array {
  const out = new Float32Array(Math.max(0, ...summands.map(({ scores }) => scores.length)));
  for (const { scores, weight } of summands) {
    const share = weight / (meanOfBest(scores) || 1);
    for (let at = 0; at < scores.length; at++) if (scores[at]! > 0) out[at]! += share * scores[at]!;
  }
  return out;
}

function meanOfBest(scores: Float32Array): number {
  const best = topK(scores, UNIT_OF, { above: 0 });
  const counted = best.filter(({ score }) => score >= LEAST_SHARE * best[0]!.score);
  return counted.reduce((sum, { score }) => sum + score, 0) / Math.max(1, counted.length);
}
