import type { AStarSettings, Heuristic } from './defaults.ts';
import { distinctEdges, type TraversalEdge, type TraversalGraph, type Walk } from './traversal-graph.ts';

/** One search from a start to a goal. */
interface AStarRun {
  /** From the start to the goal, or to the last expanded node. */
  readonly path: readonly number[];
  readonly reached: boolean;
  /** Number of nodes expanded. */
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
 * A* between pairs of nodes (PersonalAI, "Retrieve Algorithms"; docs/papers.md §4.3). Returns the triplets on each
 * path, including parallel ones, leg by leg, without duplicates.
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

/** Searches one leg. `hops`, if given, counts the hops to its goal. */
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
    if (step.g > nearest.get(step.node)!) continue; // a shorter path was found since
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
 * The estimate h of the cost from a node to the goal; null prunes the node. `ip`: the distance of the two.
 * `weighted`: that distance times the hops between them. `averaged-weighted`: the hops times the mean of that
 * distance and the distances along the path.
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

/** Start and goal may be entered regardless of their type. */
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

/** Hops from nodes to one goal, by a breadth-first search from the goal that extends only as far as needed. */
class HopsTo {
  readonly #graph: TraversalGraph;
  readonly #mayEnter: (node: number) => boolean;
  readonly #limit: { check(): void };
  readonly #hops: Map<number, number>;
  #ring: readonly number[];
  #radius = 0;

  constructor(
    goal: number,
    graph: TraversalGraph,
    on: { readonly mayEnter: (node: number) => boolean; readonly limit: { check(): void } },
  ) {
    this.#graph = graph;
    this.#mayEnter = on.mayEnter;
    this.#limit = on.limit;
    this.#hops = new Map([[goal, 0]]);
    this.#ring = [goal];
  }

  /** Null if no path leads to the goal. */
  from(node: number): number | null {
    while (!this.#hops.has(node) && this.#ring.length > 0) this.#widen();
    return this.#hops.get(node) ?? null;
  }

  #widen(): void {
    const next: number[] = [];
    this.#radius++;
    for (const node of this.#ring) {
      this.#limit.check();
      for (const { to } of this.#graph.edgesOf(node)) {
        if (this.#hops.has(to) || !this.#mayEnter(to)) continue;
        this.#hops.set(to, this.#radius);
        next.push(to);
      }
    }
    this.#ring = next;
  }
}

/** A priority queue, least item first (binary heap). `before` must be a total order. */
class LeastFirst<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => number;

  constructor(before: (a: T, b: T) => number) {
    this.#before = before;
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#before(items[parent]!, item) <= 0) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const least = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return least;
  }

  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!) < 0) child++;
      if (this.#before(item, items[child]!) <= 0) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
