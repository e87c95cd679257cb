import type { ScopeIndex } from '../../search/scope-index.ts';
import { listsById, type OrdinalLists, type RankedList, rankedList } from '../fuse.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import type { SearchedKind } from '../route-settings.ts';
import { aStarAll, type Leg } from './a-star.ts';
import { beamSearchAll } from './beam-search.ts';
import type { Algorithm, TraversalRoute } from './defaults.ts';
import { matchEntities } from './match-entities.ts';
import { prunedGraph } from './prune-text.ts';
import { type Row, type RowScores, readSimilarity, ScopeGraph, type Similarity } from './scope-graph.ts';
import type { TraversalEdge, TraversalGraph, Walk } from './traversal-graph.ts';
import { waterCircles } from './water-circles.ts';

const NO_ANSWER = 'no-answer';
/** The list of the triplets of several algorithms. */
const UNION = 'union';

/**
 * Graph traversal (PersonalAI, "Information Searching"): the algorithms traverse the graph from the entities of the
 * question. The triplets most similar to the question are kept, with their turns.
 */
export async function runTraversal(input: RouteInput, route: TraversalRoute): Promise<RouteResult> {
  const { index } = input.context;
  const { matched, notes, usage } = await matchEntities(input, route);
  // Read after waiting for the embedder, so that the graph is current.
  const similarity = readSimilarity(input, route);
  const graph = new ScopeGraph(index, { eligible: input.rows().eligible, similarity });
  const ordinals = matched.flatMap((id) => index.entities.ids.ordinalOf(id) ?? []);
  const entities = ordinals.filter((ordinal) => graph.hasEntity(ordinal));
  const textsOf = (rows: readonly Row[]) => readTexts(input, rows);
  const walked: [list: string, edges: readonly TraversalEdge[]][] = [];
  for (const algorithm of route.algorithms) {
    const start = await startOf(algorithm, { input, route, graph, entities });
    walked.push([algorithm, runAlgorithm(algorithm, start, route)]);
  }
  const union = walked.flatMap(([, edges]) => edges);
  const lists: OrdinalLists[] = [];
  for (const [list, edges] of route.filter.isOfUnion ? [[UNION, union] as const] : walked) {
    const found = await filterTriplets(graph, edges, { filter: route.filter, similarity, textsOf });
    lists.push(listsOf(list, found, { graph, index, route, depth: input.depth }));
  }
  const noAnswer = union.length === 0;
  return {
    lists: listsById(joined(lists), index),
    report: {
      notes: [...notes, ...(noAnswer ? [NO_ANSWER] : [])],
      figures: { noAnswer: noAnswer ? 1 : 0, matchedEntities: entities.length, triplets: union.length },
      usage,
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

interface Start {
  readonly graph: TraversalGraph;
  /** The entities of the question. */
  readonly entities: readonly number[];
  readonly walk: Walk;
  /** The goals of A* for a question with one entity. */
  readonly goalsOf: (entity: number) => readonly number[];
}

/** The triplets that one algorithm visits, in its order, without duplicates. */
function runAlgorithm(
  algorithm: Algorithm,
  { graph, entities, walk, goalsOf }: Start,
  { aStar, waterCircles: circles, beamSearch }: TraversalRoute,
): readonly TraversalEdge[] {
  switch (algorithm) {
    case 'a-star':
      return aStarAll(graph, legsBetween(entities, goalsOf), { settings: aStar, walk });
    case 'water-circles':
      return waterCircles(graph, entities, { settings: circles, walk }).edges;
    case 'beam-search':
      return beamSearchAll(graph, entities, { settings: beamSearch, walk });
  }
}

/** Every unordered pair (docs/papers.md §4.3). */
function legsBetween(entities: readonly number[], goalsOf: Start['goalsOf']): Leg[] {
  const [only, ...others] = entities;
  if (only !== undefined && others.length === 0) return goalsOf(only).map((goal) => ({ start: only, goal }));
  return entities.flatMap((start, place) => entities.slice(place + 1).map((goal) => ({ start, goal })));
}

interface From {
  readonly graph: ScopeGraph;
  readonly index: ScopeIndex;
  readonly route: Pick<TraversalRoute, 'kinds' | 'weight'>;
  readonly depth: number;
}

/**
 * The result of an algorithm as ranked lists: facts and theses, turns on the paths and evidence of the facts,
 * entities on the paths. Each row takes the rank of the first text that leads to it.
 */
function listsOf(
  list: string,
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
  const lists = <Key>(kind: SearchedKind, rows: ReadonlyMap<Key, number>): RankedList<Key>[] => {
    if (!route.kinds.includes(kind) || rows.size === 0) return [];
    const ranking = Array.from(rows, ([key, score]) => ({ key, score })).slice(0, depth);
    return [rankedList(ranking, { route: 'traversal', list, weight: route.weight })];
  };
  return { episode: lists('episode', turns), fact: lists('fact', facts), entity: lists('entity', entities) };
}

function put<Key>(rows: Map<Key, number>, key: Key, score: number): void {
  if (!rows.has(key)) rows.set(key, score);
}

/** A row with text, and the triplets that it belongs to. */
interface FoundText extends Row {
  readonly score: number;
  readonly edges: readonly TraversalEdge[];
}

interface FilterOptions {
  readonly filter: TraversalRoute['filter'];
  readonly similarity: Similarity;
  /** The texts of rows, by position in the list; null for a removed row. */
  readonly textsOf: (rows: readonly Row[]) => Promise<readonly (string | null)[]>;
}

/**
 * The triplets filter (PersonalAI, "Information Searching"; docs/papers.md §4.2): the texts of triplets that are most
 * similar to the question, without duplicates.
 */
async function filterTriplets(
  graph: Pick<ScopeGraph, 'rowOf'>,
  edges: readonly TraversalEdge[],
  { filter, similarity, textsOf }: FilterOptions,
): Promise<FoundText[]> {
  const rows = new Map<string, { readonly row: Row; readonly edges: TraversalEdge[] }>();
  for (const edge of edges) {
    const row = graph.rowOf(edge);
    const key = `${row.kind} ${row.ordinal}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { row, edges: [edge] });
    else known.edges.push(edge);
  }
  const found = [...rows.values()].map(({ row, edges }, place) => ({
    ...row,
    edges,
    score: similarity.chosen[row.kind][row.ordinal]!,
    place,
  }));
  const nearest = found.sort((a, b) => b.score - a.score || a.place - b.place);
  const kept = (
    await withoutRepeats(nearest, { most: filter.most, cosine: similarity.cosine, textsOf })
  ).slice(0, filter.most);
  return filter.order === 'similarity' ? kept : kept.sort((a, b) => a.place - b.place);
}

/** Equal texts have equal vectors, so only few texts need to be read. */
async function withoutRepeats<T extends Row>(
  rows: readonly T[],
  options: { readonly most: number; readonly cosine: RowScores; readonly textsOf: FilterOptions['textsOf'] },
): Promise<T[]> {
  const { most, cosine, textsOf } = options;
  const alike = new Map<string, T[]>();
  for (const row of rows.slice(0, 2 * most)) {
    const key = `${row.kind} ${cosine[row.kind][row.ordinal]}`;
    alike.set(key, [...(alike.get(key) ?? []), row]);
  }
  const doubtful = [...alike.values()].filter(({ length }) => length > 1).flat();
  const texts = doubtful.length === 0 ? [] : await textsOf(doubtful);
  const said = new Set<string>();
  const repeats = new Set<T>();
  for (const [place, row] of doubtful.entries()) {
    const text = texts[place];
    if (text == null) continue;
    const key = `${row.kind} ${text}`;
    if (said.has(key)) repeats.add(row);
    said.add(key);
  }
  return rows.filter((row) => !repeats.has(row));
}
