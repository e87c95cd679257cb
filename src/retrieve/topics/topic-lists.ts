import type { ScopeIndex } from '../../search/scope-index.ts';
import type { RankedList } from '../fuse.ts';
import type { RankedLists, Ranking } from '../rankings.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { Eligible } from '../time-view.ts';
import type { RankedTurn } from './ranked-turns.ts';
import type { TopicsRoute } from './settings.ts';

export interface ListRequest {
  readonly index: ScopeIndex;
  readonly eligible: Eligible;
  readonly route: TopicsRoute;
  /** Of facts and entities. */
  readonly depth: number;
  /** How a turn was come to. */
  readonly pathOf: (turn: number) => readonly string[] | undefined;
}

/**
 * The turns, the facts that rest on them in the order of the turns, and the entities that they mention, those first
 * that are mentioned often and early: by the sum of the turns' reciprocal ranks.
 */
export function topicLists(ranked: readonly RankedTurn[], request: ListRequest): RankedLists {
  const { route, depth, pathOf, index } = request;
  const idOf = ({ turn }: RankedTurn) => index.episodes.ids.idOf(turn);
  const lists = (kind: SearchedKind, make: () => readonly Ranking<string>[]) =>
    route.kinds.includes(kind) ? listOf(make().slice(0, depth), route.weight) : [];
  return {
    episode: lists('episode', () =>
      ranked.map((each) => ({ key: idOf(each), score: each.score, path: pathOf(each.turn) })),
    ),
    fact: lists('fact', () => factsOf(ranked, request)),
    entity: lists('entity', () => entitiesOf(ranked, request)),
  };
}

function listOf(ranking: readonly Ranking<string>[], weight: number): RankedList<string>[] {
  if (ranking.length === 0) return [];
  return [
    {
      ...{ route: 'topics', list: 'topics', weight },
      keys: ranking.map(({ key }) => key),
      scores: ranking.map(({ score }) => score),
      paths: ranking.map(({ path }) => path),
    },
  ];
}

function factsOf(ranked: readonly RankedTurn[], { index, eligible, pathOf }: ListRequest): Ranking<string>[] {
  const found = new Map<string, Ranking<string>>();
  for (const { turn, score } of ranked)
    for (const fact of index.factsEvidencedBy(index.episodes.ids.idOf(turn)))
      if (!found.has(fact) && eligible.fact?.[index.facts.ids.ordinalOf(fact)!] !== 0)
        found.set(fact, { key: fact, score, path: pathOf(turn) });
  return [...found.values()];
}

function entitiesOf(ranked: readonly RankedTurn[], { index }: ListRequest): Ranking<string>[] {
  const found = new Map<string, number>();
  for (const [at, { turn }] of ranked.entries())
    for (const entity of index.entitiesMentionedIn(index.episodes.ids.idOf(turn)))
      found.set(entity, (found.get(entity) ?? 0) + 1 / (at + 1));
  return [...found]
    .map(([key, score]) => ({ key, score, path: undefined }))
    .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
}
