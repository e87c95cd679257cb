import type { Pick } from './selector.ts';

/** Each node once, whole if one of its picks says so, with scores from 0 to 1; the best first. */
export function distinctPicks(picks: readonly Pick[]): readonly Pick[] {
  const byId = new Map<string, Pick>();
  for (const pick of picks) {
    const before = byId.get(pick.id);
    const score = Number.isFinite(pick.score) ? Math.min(1, Math.max(0, pick.score)) : 0;
    byId.set(pick.id, {
      id: pick.id,
      all: pick.all || before?.all === true,
      score: Math.max(score, before?.score ?? 0),
    });
  }
  return [...byId.values()].sort((a, b) => b.score - a.score);
}
