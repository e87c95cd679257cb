import type { BeamSearchSettings } from './settings.ts';
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

/** A path that is done. */
export interface ScoredPath extends BeamPath {
  /** Lower is better. */
  readonly score: number;
  /** It could not go on; false where it reached the depth. */
  readonly ended: boolean;
}

const LEAST_COSINE = 1e-6;

/** −ln of the cosine of question and triplet (PAPERS §4.5). */
export function tripletCost(cosine: number): number {
  return -Math.log(Math.max(cosine, LEAST_COSINE));
}

/** The triplets of the best paths from each start, the best path first, each triplet once. */
export function beamSearchAll(
  graph: TraversalGraph,
  starts: readonly number[],
  options: { readonly settings: BeamSearchSettings; readonly walk: Walk },
): TraversalEdge[] {
  const paths = starts.flatMap((start) => beamSearch(graph, start, options));
  return distinctEdges(paths.sort((a, b) => a.score - b.score).flatMap(({ edges }) => edges));
}

/**
 * BeamSearch from one node (PersonalAI, "Retrieve Algorithms" and Appendix F; PAPERS §4.5): paths whose triplets are
 * near to the question, in the order of the final sorting.
 */
export function beamSearch(
  graph: TraversalGraph,
  start: number,
  { settings, walk }: { readonly settings: BeamSearchSettings; readonly walk: Walk },
): ScoredPath[] {
  const ended: BeamPath[] = [];
  let live: readonly BeamPath[] = [{ nodes: [start], edges: [], cost: 0 }];
  for (let depth = 0; depth < settings.maximumDepth && live.length > 0; depth++) {
    const blocked = blockedFor(live, settings);
    const longer: BeamPath[] = [];
    for (const path of live) {
      walk.limit.check();
      const steps = stepsOf(graph, path, { settings, allowed: walk.allowed, blocked });
      if (steps.length === 0) ended.push(path);
      for (const step of steps) longer.push(step);
    }
    live = longer.sort(byCost).slice(0, settings.maximumPaths);
  }
  return finalPaths(scored(ended, true, settings), scored(live, false, settings), settings);
}

type Blocked = (path: BeamPath, edge: TraversalEdge) => boolean;

/** What another path holds at the start of the step. */
function blockedFor(live: readonly BeamPath[], settings: BeamSearchSettings): Blocked {
  const nodes = countOf(live.flatMap((path) => [...new Set(path.nodes)]));
  const relations = countOf(live.flatMap(({ edges }) => [...new Set(edges.map(edgeKey))]));
  return (path, edge) => {
    const key = edgeKey(edge);
    const own = { node: path.nodes.includes(edge.to), relation: path.edges.some((e) => edgeKey(e) === key) };
    const byNode = (nodes.get(edge.to) ?? 0) > (own.node ? 1 : 0);
    const byRelation = (relations.get(key) ?? 0) > (own.relation ? 1 : 0);
    return (
      (byNode && !settings.differentPathsShareNodes) || (byRelation && !settings.differentPathsShareRelations)
    );
  };
}

function countOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The cheapest ways on. */
function stepsOf(
  graph: TraversalGraph,
  path: BeamPath,
  on: { settings: BeamSearchSettings; allowed: Walk['allowed']; blocked: Blocked },
): BeamPath[] {
  const { settings, allowed, blocked } = on;
  const steps: BeamPath[] = [];
  for (const edge of graph.edgesOf(path.nodes.at(-1)!)) {
    if (edge.to === path.nodes.at(-2) || !allowed.has(graph.typeOf(edge.to))) continue;
    if (!settings.samePathRevisitsNodes && path.nodes.includes(edge.to)) continue;
    if (blocked(path, edge)) continue;
    const cost = path.cost + tripletCost(graph.relevance(edge));
    steps.push({ nodes: [...path.nodes, edge.to], edges: [...path.edges, edge], cost });
  }
  return steps.sort(byCost).slice(0, settings.maximumPaths);
}

/** Sorting is stable: at equal costs the edges' own order holds. */
const byCost = (a: BeamPath, b: BeamPath) => a.cost - b.cost;

/** A path without a triplet says nothing. */
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
