import { listsById, type OrdinalLists } from '../rankings.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import { filterTriplets } from './filter-triplets.ts';
import { listsOf } from './lists-of.ts';
import { matchEntities } from './match-entities.ts';
import { prunedGraph } from './prune-text.ts';
import { runAlgorithm, type Start } from './run-algorithm.ts';
import { type Row, ScopeGraph } from './scope-graph.ts';
import type { Algorithm, TraversalRoute } from './settings.ts';
import { readSimilarity } from './similarity.ts';
import type { TraversalGraph } from './traversal-graph.ts';

const NO_ANSWER = 'no-answer';

/**
 * Graph traversal (PersonalAI, "Information Searching"): from the entities of the question the algorithms walk the
 * graph; of the triplets they find, those most similar to the question are kept, with the turns behind them.
 */
export async function runTraversal(input: RouteInput, route: TraversalRoute): Promise<RouteResult> {
  const { index } = input.context;
  const matched = await matchEntities(input, route);
  // The embedder may have been waited for: the graph is of this moment.
  const similarity = readSimilarity(input, route);
  const graph = new ScopeGraph(index, { eligible: input.rows().eligible, similarity });
  const ordinals = matched.flatMap((id) => index.entities.ids.ordinalOf(id) ?? []);
  const entities = ordinals.filter((ordinal) => graph.hasEntity(ordinal));
  const textsOf = (rows: readonly Row[]) => readTexts(input, rows);
  const lists: OrdinalLists[] = [];
  let triplets = 0;
  for (const algorithm of route.algorithms) {
    const edges = runAlgorithm(algorithm, await startOf(algorithm, { input, route, graph, entities }), route);
    triplets += edges.length;
    const found = await filterTriplets(graph, edges, { filter: route.filter, similarity, textsOf });
    lists.push(listsOf(algorithm, found, { graph, index, route, depth: input.depth }));
  }
  const noAnswer = triplets === 0;
  return {
    lists: listsById(joined(lists), index),
    report: {
      notes: noAnswer ? [NO_ANSWER] : [],
      figures: { noAnswer: noAnswer ? 1 : 0, matchedEntities: entities.length, triplets },
    },
  };
}

interface Setting {
  readonly input: RouteInput;
  readonly route: TraversalRoute;
  readonly graph: ScopeGraph;
  readonly entities: readonly number[];
}

async function startOf(algorithm: Algorithm, setting: Setting): Promise<Start> {
  const { input, route, graph, entities } = setting;
  const { limit, queryVector } = input;
  const types = new Set(route.allowed);
  const { goalsOfOne: most } = route.aStar;
  const prunes = algorithm === 'water-circles' && route.waterCircles.pruneText;
  return {
    graph: prunes ? await linesOf(setting) : graph,
    entities,
    walk: { allowed: types, limit },
    goalsOf: (except) => graph.nearest(queryVector, { most, types, except }),
  };
}

function linesOf({ input, graph, entities: asked }: Setting): Promise<TraversalGraph> {
  const { context, queryVector, calls } = input;
  return prunedGraph(graph, {
    asked,
    queryVector,
    entities: context.index.entities,
    textsOf: (rows) => readTexts(input, rows),
    embed: (lines) => context.embedder.embed(lines, { as: 'passage', signal: calls.signal }),
  });
}

async function readTexts(
  { context: { scope, store, index } }: RouteInput,
  rows: readonly Row[],
): Promise<(string | null)[]> {
  const idsOf = (kind: Row['kind']) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ ordinal }) => (kind === 'fact' ? index.facts : index.episodes).ids.idOf(ordinal));
  const facts = await store.get(scope, 'fact', idsOf('fact'));
  const episodes = await store.get(scope, 'episode', idsOf('episode'));
  const texts = new Map<string, string>([
    ...facts.map(({ id, statement }) => [id, statement] as const),
    ...episodes.map(({ id, content }) => [id, content] as const),
  ]);
  return rows.map(
    ({ kind, ordinal }) =>
      texts.get((kind === 'fact' ? index.facts : index.episodes).ids.idOf(ordinal)) ?? null,
  );
}

function joined(lists: readonly OrdinalLists[]): OrdinalLists {
  return {
    episode: lists.flatMap(({ episode }) => episode),
    fact: lists.flatMap(({ fact }) => fact),
    entity: lists.flatMap(({ entity }) => entity),
  };
}
