import type { ScopeIndex } from '../search/scope-index.ts';
import type { RankedList } from './fuse.ts';

/** A row that a route puts forward: an ordinal of its kind's index, or the id of an entity or category. */
export interface Ranking<Key = number> {
  readonly key: Key;
  readonly score: number;
  readonly path: readonly string[] | undefined;
}

/** What a route puts forward, to be fused by kind; `Row` is an ordinal inside a route and an id outside of it. */
export interface ListsOf<Row> {
  readonly episode: readonly RankedList<Row>[];
  readonly fact: readonly RankedList<Row>[];
  readonly entity: readonly RankedList<string>[];
}
export type OrdinalLists = ListsOf<number>;
export type RankedLists = ListsOf<string>;

export const NO_LISTS: RankedLists = { episode: [], fact: [], entity: [] };

/** Lists of ordinals as lists of ids, which mean the same after the next commit, too. */
export function listsById(lists: OrdinalLists, { episodes, facts }: ScopeIndex): RankedLists {
  const named = (list: RankedList, idOf: (ordinal: number) => string): RankedList<string> => ({
    ...list,
    keys: list.keys.map(idOf),
  });
  return {
    episode: lists.episode.map((list) => named(list, (turn) => episodes.ids.idOf(turn))),
    fact: lists.fact.map((list) => named(list, (fact) => facts.ids.idOf(fact))),
    entity: lists.entity,
  };
}
