import type { Vote } from '../model/retrieved-item.ts';

/**
 * A ranked list that one route puts forward, best first. Keys are numbers in the index of their kind for turns and
 * facts, ids for entities and categories, which share a list.
 */
export interface RankedList<Key = number> {
  readonly route: string;
  readonly list: string;
  /** Weight of the list's reciprocal ranks; 1 in the paper. */
  readonly weight: number;
  readonly keys: readonly Key[];
  readonly scores: readonly number[];
  /** How each was come to in the hierarchy, where it was. */
  readonly paths?: readonly (readonly string[] | undefined)[] | undefined;
}

export interface FusedItem<Key = number> {
  readonly key: Key;
  readonly score: number;
  readonly votes: readonly Vote[];
}

/**
 * Reciprocal rank fusion (Cormack et al. 2009; Mnemis §2.3): score(x) = Σ over lists with x of
 * weight / (constant + rank), rank from 1. Ties go to `before`, which must be a total order.
 */
export function reciprocalRankFusion<Key extends number | string>(
  lists: readonly RankedList<Key>[],
  options: { constant: number; depth: number; before: (a: Key, b: Key) => number },
): FusedItem<Key>[] {
  const fused = new Map<Key, { score: number; votes: Vote[] }>();
  for (const { route, list, weight, keys, scores, paths } of lists)
    for (const [position, key] of keys.entries()) {
      const rank = position + 1;
      const entry = fused.get(key) ?? { score: 0, votes: [] };
      entry.score += weight / (options.constant + rank);
      const path = paths?.[position];
      entry.votes.push({ route, list, rank, score: scores[position]!, ...(path && { path }) });
      fused.set(key, entry);
    }
  return [...fused]
    .map(([key, { score, votes }]) => ({ key, score, votes: votes.sort((a, b) => a.rank - b.rank) }))
    .sort((a, b) => b.score - a.score || options.before(a.key, b.key))
    .slice(0, options.depth);
}
