import type { Pick } from './selector.ts';

/**
 * The best few in the order in which they are given: by score, and where scores are equal, as a model's are, by a
 * liking, which is asked for only where not all are taken.
 */
export function bestPicks(
  picks: readonly Pick[],
  most: number,
  likingOf: (pick: Pick) => number,
): readonly Pick[] {
  if (picks.length <= most) return picks;
  const rated = picks.map((pick) => ({ pick, liking: likingOf(pick) }));
  const best = rated.sort((a, b) => b.pick.score - a.pick.score || b.liking - a.liking).slice(0, most);
  const taken = new Set(best.map(({ pick }) => pick));
  return picks.filter((pick) => taken.has(pick));
}
