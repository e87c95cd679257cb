import { HopsTo } from './hops-to.ts';
import { LeastFirst } from './least-first.ts';
import type { AStarSettings, Heuristic } from './settings.ts';
import { distinctEdges, type TraversalEdge, type TraversalGraph, type Walk } from './traversal-graph.ts';

/** One search from a start to a goal. */
export interface AStarRun {
  /** From the start to the goal, or to the node that was expanded last. */
  readonly path: readonly number[];
  readonly reached: boolean;
  /** Nodes that were expanded. */
  readonly pops: number;
}

export interface Leg {
  readonly start: number;
  readonly goal: number;
}

interface Step {
  readonly node: number;
  /** Hops from the start. */
  readonly g: number;
  readonly f: number;
  /** Sum of the distances along the path. */
  readonly walked: number;
  readonly before: Step | null;
}

type Hops = Pick<HopsTo, 'from'>;

/** Smallest f first, then the lower number. */
const byPromise = (a: Step, b: Step) => a.f - b.f || a.node - b.node || a.g - b.g;

/**
 * A* between pairs of nodes (PersonalAI, "Retrieve Algorithms"; PAPERS §4.3): the triplets on each path, parallel ones
 * included, leg by leg, each once.
 */
export function aStarAll(
  graph: TraversalGraph,
  legs: readonly Leg[],
  { settings, walk }: { readonly settings: AStarSettings; readonly walk: Walk },
): TraversalEdge[] {
  const hopsTo = new Map<string, Hops>();
  const edges: TraversalEdge[] = [];
  for (const leg of legs) {
    const key = walk.allowed.has(graph.typeOf(leg.start)) ? `${leg.goal}` : `${leg.goal} ${leg.start}`;
    const hops = hopsTo.get(key) ?? hopsOf(graph, leg, walk);
    hopsTo.set(key, hops);
    edges.push(...edgesAlong(graph, aStar(graph, leg, { settings, walk, hops }).path));
  }
  return distinctEdges(edges);
}

/** One leg. `hops`, where given, counts the hops to its goal. */
export function aStar(
  graph: TraversalGraph,
  leg: Leg,
  { settings, walk, hops = hopsOf(graph, leg, walk) }: { settings: AStarSettings; walk: Walk; hops?: Hops },
): AStarRun {
  const mayEnter = entrance(graph, leg, walk);
  const estimate = (step: Omit<Step, 'f'>) => heuristic(settings.heuristic, step, { graph, leg, hops });
  const open = new LeastFirst<Step>(byPromise);
  const nearest = new Map([[leg.start, 0]]);
  let last: Step = { node: leg.start, g: 0, f: 0, walked: 0, before: null };
  let pops = 0;
  if (estimate(last) !== null) open.push(last);
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step.g > nearest.get(step.node)!) continue; // a shorter way was found since
    walk.limit.check();
    last = step;
    pops++;
    if (step.node === leg.goal || pops === settings.maximumPops) break;
    if (step.g === settings.maximumHops) continue;
    for (const { to } of graph.edgesOf(step.node)) {
      const g = step.g + 1;
      if (!mayEnter(to) || (nearest.get(to) ?? Number.POSITIVE_INFINITY) <= g) continue;
      const onward = { node: to, g, walked: step.walked + graph.distance(step.node, to), before: step };
      const h = estimate(onward);
      if (h === null) continue;
      nearest.set(to, g);
      open.push({ ...onward, f: g + h });
    }
  }
  return { path: pathTo(last), reached: last.node === leg.goal, pops };
}

/**
 * The estimate h of what is left from a node to the goal; null prunes it. `ip`: the distance of the two. `weighted`: that
 * times the hops between them. `averaged-weighted`: the hops times the mean of the distances along the path and that
 * one.
 */
function heuristic(
  kind: Heuristic,
  { node, g, walked }: Omit<Step, 'f'>,
  { graph, leg: { goal }, hops }: { graph: TraversalGraph; leg: Leg; hops: Hops },
): number | null {
  const distance = graph.distance(node, goal);
  if (kind === 'ip') return distance;
  const left = hops.from(node);
  if (left === null) return null;
  return left * (kind === 'weighted' ? distance : (walked + distance) / (g + 1));
}

/** Start and goal may be entered whatever their type. */
function entrance(graph: TraversalGraph, { start, goal }: Leg, { allowed }: Walk): (node: number) => boolean {
  return (node) => node === goal || node === start || allowed.has(graph.typeOf(node));
}

function hopsOf(graph: TraversalGraph, leg: Leg, walk: Walk): Hops {
  return new HopsTo(leg.goal, graph, { mayEnter: entrance(graph, leg, walk), limit: walk.limit });
}

function pathTo(last: Step): number[] {
  const path: number[] = [];
  for (let step: Step | null = last; step !== null; step = step.before) path.push(step.node);
  return path.reverse();
}

function edgesAlong(graph: TraversalGraph, path: readonly number[]): TraversalEdge[] {
  return path
    .slice(1)
    .flatMap((node, before) => graph.edgesOf(path[before]!).filter(({ to }) => to === node));
}
