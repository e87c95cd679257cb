import { TopHits } from '../../search/top-k.ts';
import type { BeamSearchSettings } from './defaults.ts';
import {
  distinctEdges,
  edgeKey,
  type TraversalEdge,
  type TraversalGraph,
  type Walk,
} from './traversal-graph.ts';

export interface BeamPath {
  readonly nodes: readonly number[];
  readonly edges: readonly TraversalEdge[];
  /** Σ of the costs of its triplets. */
  readonly cost: number;
}

/** A finished path. */
export interface ScoredPath extends BeamPath {
  /** Lower is better. */
  readonly score: number;
  /** Whether it had no further step; false if it reached the depth limit. */
  readonly ended: boolean;
}

const LEAST_COSINE = 1e-6;

/** −ln of the cosine of question and triplet (docs/papers.md §4.5). */
export function tripletCost(cosine: number): number {
  return -Math.log(Math.max(cosine, LEAST_COSINE));
}

/** The triplets of the best paths from each start, best path first, without duplicates. */
export function beamSearchAll(
  graph: TraversalGraph,
  starts: readonly number[],
  options: { readonly settings: BeamSearchSettings; readonly walk: Walk },
): TraversalEdge[] {
  const paths = starts.flatMap((start) => beamSearch(graph, start, options));
  return distinctEdges(paths.sort((a, b) => a.score - b.score).flatMap(({ edges }) => edges));
}

/**
 * BeamSearch from one node (PersonalAI, "Retrieve Algorithms" and Appendix F; docs/papers.md §4.5): paths whose
 * triplets are near to the question, in final order.
 */
export function beamSearch(
  graph: TraversalGraph,
  start: number,
  { settings, walk }: { readonly settings: BeamSearchSettings; readonly walk: Walk },
): ScoredPath[] {
  const ended: BeamPath[] = [];
  let live: readonly BeamPath[] = [{ nodes: [start], edges: [], cost: 0 }];
  for (let depth = 0; depth < settings.maximumDepth && live.length > 0; depth++) {
    const mayTake = stepRule(graph, live, { settings, allowed: walk.allowed });
    const longer: BeamPath[] = [];
    for (const path of live) {
      const steps = stepsOf(graph, path, { most: settings.maximumPaths, limit: walk.limit, mayTake });
      if (steps.length === 0) ended.push(path);
      longer.push(...steps);
    }
    live = longer.sort(byCost).slice(0, settings.maximumPaths);
  }
  return finalPaths(scored(ended, true, settings), scored(live, false, settings), settings);
}

type StepRule = (path: BeamPath, edge: TraversalEdge) => boolean;

/** Whether a path may continue along an edge, given the nodes and edges of all live paths at the start of the step. */
function stepRule(
  graph: TraversalGraph,
  live: readonly BeamPath[],
  { settings, allowed }: { readonly settings: BeamSearchSettings; readonly allowed: Walk['allowed'] },
): StepRule {
  const nodes = countOf(live.flatMap((path) => [...new Set(path.nodes)]));
  const relations = countOf(live.flatMap(({ edges }) => [...new Set(edges.map(edgeKey))]));
  return (path, edge) => {
    if (edge.to === path.nodes.at(-2) || !allowed.has(graph.typeOf(edge.to))) return false;
    const holders = nodes.get(edge.to);
    // Most edges of a hub lead to nodes that are on no path.
    if (holders === undefined) return true;
    const isOwn = path.nodes.includes(edge.to);
    if (isOwn && !settings.samePathRevisitsNodes) return false;
    if (!settings.differentPathsShareNodes && holders > (isOwn ? 1 : 0)) return false;
    if (settings.differentPathsShareRelations) return true;
    const key = edgeKey(edge);
    const own = path.edges.some((each) => edgeKey(each) === key) ? 1 : 0;
    return (relations.get(key) ?? 0) <= own;
  };
}

function countOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const EDGES_PER_CHECK = 1_024;

/** The cheapest steps; ties keep the order of the edges. Only these become paths: a hub has thousands of edges. */
function stepsOf(
  graph: TraversalGraph,
  path: BeamPath,
  {
    most,
    limit,
    mayTake,
  }: { readonly most: number; readonly limit: Walk['limit']; readonly mayTake: StepRule },
): BeamPath[] {
  const edges = graph.edgesOf(path.nodes.at(-1)!);
  const cheapest = new TopHits(most);
  for (let place = 0; place < edges.length; place++) {
    if (place % EDGES_PER_CHECK === 0) limit.check();
    const edge = edges[place]!;
    if (mayTake(path, edge)) cheapest.offer(place, -(path.cost + tripletCost(graph.relevance(edge))));
  }
  return cheapest.hits().map(({ ordinal, score }) => {
    const edge = edges[ordinal]!;
    return { nodes: [...path.nodes, edge.to], edges: [...path.edges, edge], cost: -score };
  });
}

/** The sort is stable: ties keep the order of the edges. */
const byCost = (a: BeamPath, b: BeamPath) => a.cost - b.cost;

/** Scores paths; skips those without a triplet. */
function scored(paths: readonly BeamPath[], ended: boolean, { meanAlpha }: BeamSearchSettings): ScoredPath[] {
  return paths
    .filter(({ edges }) => edges.length > 0)
    .map((path) => ({ ...path, score: path.cost / path.edges.length ** meanAlpha, ended }))
    .sort(byScore);
}

const byScore = (a: ScoredPath, b: ScoredPath) => a.score - b.score;

function finalPaths(
  ended: readonly ScoredPath[],
  continuous: readonly ScoredPath[],
  { sorting, maximumPaths }: BeamSearchSettings,
): ScoredPath[] {
  const ordered = {
    mixed: () => [...ended, ...continuous].sort(byScore),
    ended_first: () => [...ended, ...continuous],
    continuous_first: () => [...continuous, ...ended],
  };
  return ordered[sorting]().slice(0, maximumPaths);
}
