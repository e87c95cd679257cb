import type { EpisodeId } from '../model/ids.ts';
import type { SourceTurn } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { type FusedItem, type RankedList, reciprocalRankFusion } from './fuse.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { Eligible } from './time-view.ts';

/**
 * Ranks the turns that facts and entities rest on, for recipes that do not search turns themselves: each turn
 * takes its own single place (DESIGN §8.6), facts before entities, since a fact cites few turns.
 */
export function episodesBehind(
  facts: readonly FusedItem<string>[],
  entities: readonly FusedItem<string>[],
  { index, recipe, eligible }: { index: ScopeIndex; recipe: Recipe; eligible: Eligible },
): FusedItem<string>[] {
  const ofFacts = facts.map((item) => index.evidenceOf(item.key));
  const ofEntities = entities.map((item) => index.mentionsOf(item.key));
  const { ids } = index.episodes;
  const turns = { index, eligible: eligible.episode };
  const lists = [listOf('facts', ofFacts, turns), listOf('entities', ofEntities, turns)];
  return reciprocalRankFusion(lists, {
    constant: recipe.rankConstant,
    depth: recipe.depth,
    before: (a, b) => ids.ordinalOf(a)! - ids.ordinalOf(b)!,
  });
}

function listOf(
  list: string,
  groups: readonly (readonly string[])[],
  { index: { episodes }, eligible }: { index: ScopeIndex; eligible: Uint8Array | null },
): RankedList<string> {
  const turns = new Set<string>();
  for (const id of groups.flat()) {
    const ordinal = episodes.ids.ordinalOf(id);
    if (ordinal === undefined || !episodes.conversation.isLive(ordinal)) continue;
    if (eligible?.[ordinal] !== 0) turns.add(id);
  }
  return {
    route: 'system1',
    list,
    weight: list === 'facts' ? 1 : 0.25,
    keys: [...turns],
    scores: Array.from(turns, (_, position) => 1 / (position + 1)),
  };
}

/** Turns as people point at them; ids that the index does not hold any more are left out. */
export function sourceTurns(ids: readonly string[], { episodes, rulings }: ScopeIndex): SourceTurn[] {
  const removed = rulings.turnsWithoutText;
  return ids.flatMap((id) => {
    const ordinal = episodes.ids.ordinalOf(id);
    if (ordinal === undefined) return [];
    const session = episodes.timeline.sessions[episodes.timeline.session.at(ordinal)]!;
    const index = episodes.timeline.index.at(ordinal);
    return [{ episode: id as EpisodeId, session, index, ...(removed.has(id) ? { removed: true } : {}) }];
  });
}
