import type { ScopeIndex } from '../../search/scope-index.ts';
import { type RankedLists, type Ranking, rankedList } from '../fuse.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { Eligible } from '../time-view.ts';
import { Archive, likenessOfTopics, likenessOfTurns, namesOfTopics } from './archive.ts';
import { type Anchors, findCandidates } from './candidates.ts';
import type { TopicsRoute } from './defaults.ts';
import { type RankedTurn, rankTurns } from './ranked-turns.ts';

/**
 * Graph-guided multi-factor retrieval (GAM §3.4): finds the topics nearest to the question and their neighbours, and
 * ranks their archived turns by the probability that they answer, and by time, speaker and confidence. It does not
 * read the buffer: evaluation flushes it first.
 */
export async function runTopics(input: RouteInput, route: TopicsRoute): Promise<RouteResult> {
  const { index } = input.context;
  const archive = new Archive(index, input.rows().eligible.episode);
  const likeness =
    route.candidates === 'turns' ? likenessOfTurns(input, archive, route) : likenessOfTopics(input, archive);
  const { units, anchors } = findCandidates({ ...input, index, archive, likeness }, route);
  input.limit.check();
  const ranked = await rankTurns(units, { input, route, likeness });
  const most = Math.min(input.depth, route.results ?? input.depth);
  const turns = ranked.turns.slice(0, most);
  const paths = await pathsOf(turns.slice(0, input.k), anchors, input);
  input.limit.check();
  // A commit may have happened while rows were read.
  const { eligible } = input.rows();
  const offered = turns.filter(({ turn }) => eligible.episode?.[turn] !== 0);
  const pathOf = (turn: number) => paths.get(turn);
  const lists = topicLists(offered, { ...input, index, eligible, route, pathOf });
  const byWords = anchors.byWords && anchors.top.length > 0;
  const figures = {
    anchors: anchors.top.length,
    neighbours: anchors.neighbours.size,
    candidates: units.length,
    pairs: ranked.pairs,
  };
  const notes = [...(byWords ? ['no topic vector matches: words chose the anchors'] : []), ...ranked.notes];
  return { lists, report: { figures, notes } };
}

/**
 * For the turns returned: names of their topic, after the anchor that led to it. Empty for a past time, since a
 * topic's keywords may be from later turns.
 */
async function pathsOf(
  turns: readonly RankedTurn[],
  { top, neighbours }: Anchors,
  { context, view }: RouteInput,
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (view.saidBy !== null || top.length === 0) return new Map();
  const { index } = context;
  const topicOf = new Map(
    turns.flatMap(({ turn }) => {
      const segment = index.segmentOf(index.episodes.ids.idOf(turn));
      return segment === undefined ? [] : [[turn, index.segments.ids.ordinalOf(segment)!] as const];
    }),
  );
  const wayTo = (topic: number) => [neighbours.get(topic) ?? [], topic].flat();
  const names = await namesOfTopics(context, [...new Set([...topicOf.values()].flatMap(wayTo))]);
  return new Map(
    [...topicOf]
      .map(([turn, topic]) => [turn, wayTo(topic).flatMap((each) => names.get(each) ?? [])] as const)
      .filter(([, path]) => path.length > 0),
  );
}

interface ListRequest {
  readonly index: ScopeIndex;
  readonly eligible: Eligible;
  readonly route: TopicsRoute;
  /** Depth of the lists of facts and entities. */
  readonly depth: number;
  /** The topics that led to a turn. */
  readonly pathOf: (turn: number) => readonly string[] | undefined;
}

/**
 * The turns, the facts they support in the order of the turns, and the entities that they mention, by the sum of the
 * turns' reciprocal ranks.
 */
function topicLists(ranked: readonly RankedTurn[], request: ListRequest): RankedLists {
  const { route, depth, pathOf, index } = request;
  const idOf = ({ turn }: RankedTurn) => index.episodes.ids.idOf(turn);
  const lists = (kind: SearchedKind, make: () => readonly Ranking<string>[]) => {
    const ranking = route.kinds.includes(kind) ? make().slice(0, depth) : [];
    return ranking.length > 0
      ? [rankedList(ranking, { route: 'topics', list: 'topics', weight: route.weight })]
      : [];
  };
  return {
    episode: lists('episode', () =>
      ranked.map((each) => ({ key: idOf(each), score: each.score, path: pathOf(each.turn) })),
    ),
    fact: lists('fact', () => factsOf(ranked, request)),
    entity: lists('entity', () => entitiesOf(ranked, request)),
  };
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
