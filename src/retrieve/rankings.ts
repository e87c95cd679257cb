import type { RankedList } from './fuse.ts';

/** A row that a route puts forward: an ordinal of its kind's index, or the id of an entity or category. */
export interface Ranking<Key = number> {
  readonly key: Key;
  readonly score: number;
  readonly path: readonly string[] | undefined;
}

/** What a route puts forward, to be fused by kind. */
export interface RankedLists {
  readonly episode: readonly RankedList[];
  readonly fact: readonly RankedList[];
  readonly entity: readonly RankedList<string>[];
}
