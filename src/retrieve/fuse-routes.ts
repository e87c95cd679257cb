import type { SearchResult } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { type FusedItem, type RankedList, reciprocalRankFusion } from './fuse.ts';
import type { RankedLists } from './rankings.ts';
import type { Recipe } from './recipes/recipe.ts';
import { episodesBehind } from './source-turns.ts';
import type { Eligible } from './time-view.ts';

/** The routes' lists as one ranking of each kind, by id. */
export interface Fused {
  readonly episode: readonly FusedItem<string>[];
  readonly fact: readonly FusedItem<string>[];
  readonly entity: readonly FusedItem<string>[];
}

interface FuseSettings {
  readonly index: ScopeIndex;
  readonly recipe: Recipe;
  readonly eligible: Eligible;
}

/** Fuses by kind; what went while a route waited is left out. */
export function fuseRoutes(
  outcomes: readonly { readonly lists: RankedLists }[],
  { index, recipe, eligible }: FuseSettings,
): Fused {
  const { rankConstant: constant, depth } = recipe;
  const ties = tieBreaks(index);
  const isThere = stillThere(index);
  const fuse = (kind: keyof RankedLists, before: (a: string, b: string) => number) => {
    const lists = outcomes.flatMap((outcome): readonly RankedList<string>[] => outcome.lists[kind]);
    const all = reciprocalRankFusion(lists, { constant, depth: Number.POSITIVE_INFINITY, before });
    const there = all.filter(({ key }) => isThere[kind](key));
    return (kind === 'fact' ? withoutRepeats(there, index) : there).slice(0, depth);
  };
  const fact = fuse('fact', ties.fact);
  const entity = fuse('entity', ties.node);
  const found = fuse('episode', ties.turn);
  // "What about Nora?" has no word that a turn need repeat, but what is known of her comes from turns.
  const episode = found.length > 0 ? found : episodesBehind(fact, entity, { index, recipe, eligible });
  return { episode, fact, entity };
}

/** What was stated twice takes one place, the better one; what has ended held at a time of its own. */
function withoutRepeats(
  items: readonly FusedItem<string>[],
  { facts, statements, validity }: ScopeIndex,
): FusedItem<string>[] {
  const stated = new Set<number>();
  return items.filter(({ key }) => {
    const ordinal = facts.ids.ordinalOf(key)!;
    const statement = validity.hasEnd(ordinal) ? null : statements.keyOf(ordinal);
    if (statement === null) return true;
    if (stated.has(statement)) return false;
    stated.add(statement);
    return true;
  });
}

/** The whole ranking, for evaluation and paging. */
export function rankedRows(
  { episode, fact, entity }: Fused,
  { episodes }: ScopeIndex,
): SearchResult['ranked'] {
  const { timeline, ids } = episodes;
  const plain = ({ key, score }: FusedItem<string>) => ({ id: key, score });
  return {
    episodes: episode.map((item) => {
      const turn = ids.ordinalOf(item.key)!;
      return {
        ...plain(item),
        session: timeline.sessions[timeline.session.at(turn)]!,
        index: timeline.index.at(turn),
      };
    }),
    entities: entity.map(plain),
    facts: fact.map(plain),
  };
}

function stillThere({ episodes, facts, hierarchy, entities }: ScopeIndex) {
  return {
    episode: (id: string) => episodes.isLive(id),
    fact: (id: string) => facts.lexical.has(facts.ids.ordinalOf(id)!),
    entity: (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id)) !== undefined,
  };
}

/** Turns tie by session and place (DESIGN §8.6), the rest by age: ordinals follow the order of arrival. */
function tieBreaks({ episodes, facts, entities, hierarchy }: ScopeIndex) {
  const { timeline } = episodes;
  const newest = (a: number, b: number) => b - a;
  const age = (id: string) => entities.profiles.ids.ordinalOf(entities.profileOf(id)?.id ?? '') ?? -1;
  const ageOfCategory = (id: string) => hierarchy.ordinalOf(id) ?? -1;
  const byPlace = (a: number, b: number) =>
    timeline.session.at(a) - timeline.session.at(b) || timeline.index.at(a) - timeline.index.at(b) || a - b;
  return {
    fact: (a: string, b: string) => newest(facts.ids.ordinalOf(a)!, facts.ids.ordinalOf(b)!),
    turn: (a: string, b: string) => byPlace(episodes.ids.ordinalOf(a)!, episodes.ids.ordinalOf(b)!),
    // Entities before categories.
    node: (a: string, b: string) => newest(age(a), age(b)) || newest(ageOfCategory(a), ageOfCategory(b)),
  };
}
