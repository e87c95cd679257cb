import type { Vote } from '../model/retrieved-item.ts';

/** A ranked list of ordinals that one route puts forward, best first. */
export interface RankedList {
  readonly route: string;
  readonly list: string;
  /** Weight of the list's reciprocal ranks; 1 in the paper. */
  readonly weight: number;
  readonly ordinals: readonly number[];
  readonly scores: readonly number[];
}

export interface FusedItem {
  readonly ordinal: number;
  readonly score: number;
  readonly votes: readonly Vote[];
}

/**
 * Reciprocal rank fusion (Cormack et al. 2009; Mnemis §2.3): score(x) = Σ over lists with x of
 * weight / (constant + rank), rank from 1. Ties go to `before`, which must be a total order.
 */
export function reciprocalRankFusion(
  lists: readonly RankedList[],
  options: { constant: number; depth: number; before: (a: number, b: number) => number },
): FusedItem[] {
  const fused = new Map<number, { score: number; votes: Vote[] }>();
  for (const { route, list, weight, ordinals, scores } of lists)
    for (const [position, ordinal] of ordinals.entries()) {
      const rank = position + 1;
      const entry = fused.get(ordinal) ?? { score: 0, votes: [] };
      entry.score += weight / (options.constant + rank);
      entry.votes.push({ route, list, rank, score: scores[position]! });
      fused.set(ordinal, entry);
    }
  return [...fused]
    .map(([ordinal, { score, votes }]) => ({ ordinal, score, votes: votes.sort((a, b) => a.rank - b.rank) }))
    .sort((a, b) => b.score - a.score || options.before(a.ordinal, b.ordinal))
    .slice(0, options.depth);
}
