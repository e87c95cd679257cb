import type { RetrievedEpisode } from '../../model/retrieved-item.ts';
import { type Sides, shareOf } from './turn-owner.ts';

/** Evidence neither for nor against what the question takes for granted. */
export const NEUTRAL = 0.5;
/** So many turns of each side are heard: one may match by chance. */
const BEST_TURNS = 3;

/** What a question takes for granted of whom, and turns that match it whoever says them. */
export interface PremiseEvidence extends Sides {
  /** The best matches of the question without its names; no speaker is preferred. */
  readonly turns: readonly RetrievedEpisode[];
  /** How much each list of the search counts, by its name. */
  readonly lists: Readonly<Record<string, number>>;
}

/**
 * Whether memory tells what is asked of those who are asked about (near 1) or of somebody else (near 0): their share
 * of the best matches. "What did Ann adopt?" is answered by Bob's "I adopted a cat" as well as by her own, but then
 * its premise is wrong (LoCoMo's category 5; MemORAI's "verify the premise first").
 */
export function premiseAgreement({ turns, lists, ...sides }: PremiseEvidence): number {
  const shares = turns.map((turn) => shareOf(sides, turn));
  const parts = Object.entries(lists).flatMap(([list, weight]) => {
    const scores = turns.map(({ why }) =>
      Math.max(0, ...why.filter((vote) => vote.list === list).map(({ score }) => score)),
    );
    const own = sumOfBest(scores.map((score, at) => score * shares[at]!));
    const others = sumOfBest(scores.map((score, at) => score * (1 - shares[at]!)));
    return own + others > 0 ? [{ weight, share: own / (own + others) }] : [];
  });
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? NEUTRAL : parts.reduce((sum, { weight, share }) => sum + weight * share, 0) / total;
}

function sumOfBest(scores: readonly number[]): number {
  return scores
    .toSorted((a, b) => b - a)
    .slice(0, BEST_TURNS)
    .reduce((sum, score) => sum + score, 0);
}
