import type { ScopeIndex } from '../../search/scope-index.ts';
import type { RankedList } from '../fuse.ts';
import type { OrdinalLists } from '../rankings.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { FoundText } from './filter-triplets.ts';
import type { ScopeGraph } from './scope-graph.ts';
import type { Algorithm, TraversalRoute } from './settings.ts';

interface From {
  readonly graph: ScopeGraph;
  readonly index: ScopeIndex;
  readonly route: Pick<TraversalRoute, 'kinds' | 'weight'>;
  readonly depth: number;
}

/**
 * What an algorithm found as ranked lists: facts and theses, turns on the way and behind the facts, entities on the
 * way. Each row stands where the first text does that leads to it.
 */
export function listsOf(
  algorithm: Algorithm,
  found: readonly FoundText[],
  { graph, index, route, depth }: From,
): OrdinalLists {
  const facts = new Map<number, number>();
  const turns = new Map<number, number>();
  const entities = new Map<string, number>();
  for (const { kind, ordinal, score, edges } of found) {
    if (kind === 'fact') put(facts, ordinal, score);
    for (const turn of kind === 'fact' ? graph.turnsBehind(ordinal) : [ordinal]) put(turns, turn, score);
    for (const node of edges.flatMap(({ from, to }) => [from, to]))
      if (graph.typeOf(node) === 'object') put(entities, index.entities.ids.idOf(node), score);
  }
  const lists = <Key>(kind: SearchedKind, rows: ReadonlyMap<Key, number>): RankedList<Key>[] =>
    route.kinds.includes(kind) && rows.size > 0
      ? [
          {
            ...{ route: 'traversal', list: algorithm, weight: route.weight },
            keys: [...rows.keys()].slice(0, depth),
            scores: [...rows.values()].slice(0, depth),
          },
        ]
      : [];
  return { episode: lists('episode', turns), fact: lists('fact', facts), entity: lists('entity', entities) };
}

function put<Key>(rows: Map<Key, number>, key: Key, score: number): void {
  if (!rows.has(key)) rows.set(key, score);
}
