import type { RetrievedItem, SearchResult } from '../model/retrieved-item.ts';

/**
 * One list of the best items of all kinds. Scores of two kinds are not comparable, so items follow their ranks: the
 * best turn, the best fact, the best entity, then the second of each.
 */
export function flatRanking(
  { episodes, facts, entities }: Pick<SearchResult, 'episodes' | 'facts' | 'entities'>,
  most: number,
): readonly RetrievedItem[] {
  const all: readonly RetrievedItem[] = [...episodes, ...facts, ...entities];
  return all.toSorted((a, b) => a.rank - b.rank).slice(0, most);
}
