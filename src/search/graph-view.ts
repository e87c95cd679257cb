import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { Steps } from '../util/breathe.ts';
import { Growable } from './ordinals.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';

/** Directed edges in parallel arrays, in no particular order. */
interface EdgeColumns {
  readonly froms: Uint32Array;
  readonly tos: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

/**
 * Compressed sparse rows: the edges of node n are those from `offsets[n]` up to `offsets[n + 1]`, in the order in
 * which they were added.
 */
export interface Adjacency {
  readonly offsets: Uint32Array;
  /** The node at the other end of each edge. */
  readonly others: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

/** Sorts edges by one of their ends, by counting: linear in nodes and edges. */
export function buildAdjacency(nodes: number, by: 'from' | 'to', edges: EdgeColumns): Adjacency {
  const keys = by === 'from' ? edges.froms : edges.tos;
  const values = by === 'from' ? edges.tos : edges.froms;
  const offsets = new Uint32Array(nodes + 1);
  for (const key of keys) offsets[key + 1]!++;
  for (let node = 0; node < nodes; node++) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const others = new Uint32Array(keys.length);
  const weights = new Float32Array(keys.length);
  const types = new Uint8Array(keys.length);
  for (let edge = 0; edge < keys.length; edge++) {
    const at = next[keys[edge]!]!++;
    others[at] = values[edge]!;
    weights[at] = edges.weights[edge]!;
    types[at] = edges.types[edge]!;
  }
  return { offsets, others, weights, types };
}

export type Direction = 'out' | 'in';

interface GraphEdge {
  readonly from: number;
  readonly to: number;
  /** Float32. Default 1. */
  readonly weight?: number | undefined;
  /** Meaning of the edge, a caller's number from 0 to 255. Default 0. */
  readonly type?: number | undefined;
}

/** The edges of one node in parallel arrays: views, valid until the next change of the graph. */
interface Neighbours {
  readonly ordinals: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

const FORMAT = 1;
/** New edges that wait for a merge: at least this many, and at least this share of the merged ones. */
const SHORTEST_MERGED_TAIL = 4_096;
const MERGED_SHARE = 0.25;
const MAXIMUM_NODES = 2 ** 28;
const headerSchema = z.object({
  format: z.literal(FORMAT),
  nodes: z.number().int().nonnegative().max(MAXIMUM_NODES),
});

/**
 * A directed multigraph of ordinals as compressed adjacency, in both directions. Removals are collected and applied on
 * the next read, in time linear in nodes and edges. New edges form a tail, chained by node, until they are a fixed share
 * of all edges and are merged: so the cost of an added edge does not grow with the graph.
 */
export class GraphView {
  #nodes: number;
  readonly #froms = new Growable(Uint32Array);
  readonly #tos = new Growable(Uint32Array);
  readonly #weights = new Growable(Float32Array);
  readonly #types = new Growable(Uint8Array);
  /** Pending removals, each with the number of edges at that time: later edges stay. */
  readonly #removedNodes: Record<Direction, Map<number, number>> = { out: new Map(), in: new Map() };
  readonly #removedEdges = new Map<string, number>();
  readonly #built: Record<Direction, Adjacency | null> = { out: null, in: null };
  readonly #tails: Record<Direction, EdgeChains> = { out: new EdgeChains(0), in: new EdgeChains(0) };

  /** A graph of this many nodes without edges; an edge to a higher ordinal enlarges it. */
  constructor(nodes = 0) {
    this.#nodes = nodes;
  }

  static fromEdges(nodes: number, edges: Iterable<GraphEdge>): GraphView {
    const graph = new GraphView(nodes);
    for (const edge of edges) graph.addEdge(edge);
    return graph;
  }

  /** One more than the highest ordinal. */
  get nodeCount(): number {
    return this.#nodes;
  }

  get edgeCount(): number {
    this.#applyRemovals();
    return this.#froms.length;
  }

  /** Makes room for ordinals below `nodes`. */
  reserve(nodes: number): void {
    this.#nodes = Math.max(this.#nodes, nodes);
  }

  /** @throws InvalidInputError for an ordinal that is not a whole number, or a type beyond 255. */
  addEdge({ from, to, weight = 1, type = 0 }: GraphEdge): void {
    if (!isOrdinal(from) || !isOrdinal(to))
      throw new InvalidInputError('The ends of an edge must be whole numbers from 0');
    if (!Number.isInteger(type) || type < 0 || type > 255) {
      throw new InvalidInputError('The type of an edge must be a whole number from 0 to 255');
    }
    this.#froms.push(from);
    this.#tos.push(to);
    this.#weights.push(weight);
    this.#types.push(type);
    this.#nodes = Math.max(this.#nodes, from + 1, to + 1);
  }

  /** Removes every edge of that type from one node to another. */
  removeEdge(from: number, to: number, type = 0): void {
    this.#removedEdges.set(`${from} ${to} ${type}`, this.#froms.length);
    this.#forgetAdjacency();
  }

  /** Removes every edge that starts (`out`) or ends (`in`) at a node; the ordinal stays. */
  removeEdgesOf(ordinal: number, direction: Direction): void {
    this.#removedNodes[direction].set(ordinal, this.#froms.length);
    this.#forgetAdjacency();
  }

  /** The edges that start (`out`) or end (`in`) at a node, in the order in which they were added. */
  neighbours(ordinal: number, direction: Direction = 'out'): Neighbours {
    const { offsets, others, weights, types } = this.#merged(direction);
    const start = offsets[ordinal] ?? 0;
    const end = offsets[ordinal + 1] ?? start;
    const merged = {
      ordinals: others.subarray(start, end),
      weights: weights.subarray(start, end),
      types: types.subarray(start, end),
    };
    const tail = this.#tailOf(ordinal, direction, others.length);
    return tail.length === 0 ? merged : this.#joined(merged, tail, direction);
  }

  /** The nodes at the other end of the edges of a node, the newest edge first. Stop early to save time. */
  *newestNeighbours(ordinal: number, direction: Direction = 'out'): Generator<number> {
    const { offsets, others } = this.#merged(direction);
    const ends = direction === 'out' ? this.#tos : this.#froms;
    const tail = this.#tailOf(ordinal, direction, others.length);
    for (let at = tail.length - 1; at >= 0; at--) yield ends.at(tail[at]!);
    const start = offsets[ordinal] ?? 0;
    for (let at = (offsets[ordinal + 1] ?? start) - 1; at >= start; at--) yield others[at]!;
  }

  degree(ordinal: number, direction: Direction = 'out'): number {
    const { offsets, others } = this.#merged(direction);
    const start = offsets[ordinal] ?? 0;
    return (offsets[ordinal + 1] ?? start) - start + this.#tailOf(ordinal, direction, others.length).length;
  }

  /** All edges by their start (`out`) or end (`in`), for loops over the whole graph. Read-only. */
  adjacency(direction: Direction): Adjacency {
    const merged = this.#merged(direction);
    const isWhole = merged.others.length === this.#froms.length && merged.offsets.length === this.#nodes + 1;
    return isWhole ? merged : this.#merge(direction);
  }

  /** The adjacency without a tail of newer edges. */
  #merged(direction: Direction): Adjacency {
    this.#applyRemovals();
    const built = this.#built[direction];
    if (built === null) return this.#merge(direction);
    const tail = this.#froms.length - built.others.length;
    return tail <= Math.max(SHORTEST_MERGED_TAIL, built.others.length * MERGED_SHARE)
      ? built
      : this.#merge(direction);
  }

  #merge(direction: Direction): Adjacency {
    const merged = buildAdjacency(this.#nodes, direction === 'out' ? 'from' : 'to', this.#columns());
    this.#built[direction] = merged;
    this.#tails[direction] = new EdgeChains(merged.others.length);
    return merged;
  }

  /** Numbers of the edges from `first` on that touch the node, ascending. */
  #tailOf(ordinal: number, direction: Direction, first: number): readonly number[] {
    if (first === this.#froms.length) return NO_EDGES;
    const { data } = direction === 'out' ? this.#froms : this.#tos;
    const chains = this.#tails[direction];
    chains.follow(data, this.#froms.length);
    return chains.of(ordinal);
  }

  #joined(merged: Neighbours, tail: readonly number[], direction: Direction): Neighbours {
    const others = direction === 'out' ? this.#tos : this.#froms;
    return {
      ordinals: joined(merged.ordinals, tail, others.data),
      weights: joined(merged.weights, tail, this.#weights.data),
      types: joined(merged.types, tail, this.#types.data),
    };
  }

  toSections(): Sections {
    this.#applyRemovals();
    const { froms, tos, weights, types } = this.#columns();
    return new Map<string, Section>([
      ['graph', { json: { format: FORMAT, nodes: this.#nodes } }],
      ['froms', froms],
      ['tos', tos],
      ['weights', weights],
      ['types', types],
    ]);
  }

  /** Null if the sections are not those of a graph view. */
  static fromSections(sections: Sections): GraphView | null {
    const header = sectionJson(sections, 'graph', headerSchema);
    const froms = sectionArray(sections, 'froms', Uint32Array);
    const tos = sectionArray(sections, 'tos', Uint32Array);
    const weights = sectionArray(sections, 'weights', Float32Array);
    const types = sectionArray(sections, 'types', Uint8Array);
    if (!header || !froms || !tos || !weights || !types) return null;
    if ([tos, weights, types].some(({ length }) => length !== froms.length)) return null;
    if (!froms.every((from) => from < header.nodes) || !tos.every((to) => to < header.nodes)) return null;
    const graph = new GraphView(header.nodes);
    graph.#replace({ froms, tos, weights, types });
    return graph;
  }

  #columns(): EdgeColumns {
    return {
      froms: this.#froms.values(),
      tos: this.#tos.values(),
      weights: this.#weights.values(),
      types: this.#types.values(),
    };
  }

  /** Applies the collected removals in one pass over the edges. */
  #applyRemovals(): void {
    const removals = [this.#removedNodes.out, this.#removedNodes.in, this.#removedEdges];
    if (removals.every(({ size }) => size === 0)) return;
    const { froms, tos, weights, types } = this.#columns();
    const kept = froms.map((_, edge) => edge).filter((edge) => !this.#isRemoved(edge));
    for (const each of removals) each.clear();
    this.#replace({
      froms: kept.map((edge) => froms[edge]!),
      tos: kept.map((edge) => tos[edge]!),
      weights: Float32Array.from(kept, (edge) => weights[edge]!),
      types: Uint8Array.from(kept, (edge) => types[edge]!),
    });
  }

  #isRemoved(edge: number): boolean {
    const from = this.#froms.at(edge);
    const to = this.#tos.at(edge);
    if (edge < (this.#removedNodes.out.get(from) ?? 0)) return true;
    if (edge < (this.#removedNodes.in.get(to) ?? 0)) return true;
    if (this.#removedEdges.size === 0) return false;
    return edge < (this.#removedEdges.get(`${from} ${to} ${this.#types.at(edge)}`) ?? 0);
  }

  #replace({ froms, tos, weights, types }: EdgeColumns): void {
    const columns = [
      [this.#froms, froms],
      [this.#tos, tos],
      [this.#weights, weights],
      [this.#types, types],
    ] as const;
    for (const [column, values] of columns) {
      column.data = values.slice();
      column.length = values.length;
    }
    this.#forgetAdjacency();
  }

  #forgetAdjacency(): void {
    this.#built.out = null;
    this.#built.in = null;
  }
}

const NO_EDGES: readonly number[] = [];

/** Values of the merged edges, then of those with these numbers. */
function joined<A extends Uint32Array | Float32Array | Uint8Array>(
  merged: A,
  tail: readonly number[],
  values: A,
): A {
  const all = new (merged.constructor as new (length: number) => A)(merged.length + tail.length);
  all.set(merged);
  for (const [at, edge] of tail.entries()) all[merged.length + at] = values[edge]!;
  return all;
}

/** The numbers of the newest edges of a graph, from the first on, chained by the node at one end of them. */
class EdgeChains {
  readonly #first: number;
  /** By node: the number of its newest edge. */
  readonly #last = new Map<number, number>();
  /** By edge, counted from the first: the number of the node's edge before it, or -1. */
  readonly #before = new Growable(Int32Array);

  constructor(first: number) {
    this.#first = first;
  }

  /** Chains the edges below `end` that it does not have yet. */
  follow(nodes: Uint32Array, end: number): void {
    for (let edge = this.#first + this.#before.length; edge < end; edge++) {
      const node = nodes[edge]!;
      this.#before.push(this.#last.get(node) ?? -1);
      this.#last.set(node, edge);
    }
  }

  of(node: number): readonly number[] {
    let edge = this.#last.get(node) ?? -1;
    if (edge < 0) return NO_EDGES;
    const found: number[] = [];
    for (; edge >= 0; edge = this.#before.at(edge - this.#first)) found.push(edge);
    return found.reverse();
  }
}

function isOrdinal(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < MAXIMUM_NODES;
}

const ROWS_PER_STEP = 2_048;

interface Counted {
  /** Whether the edges of a row count. */
  isCounted(row: number): boolean;
  /** Number of nodes that edges may end at. */
  readonly ends: number;
}

/** How many edges of the rows that count end at each node. Linear in the edges. */
export function* countEnds(graph: GraphView, { isCounted, ends }: Counted): Steps<Uint32Array> {
  const { offsets, others } = graph.adjacency('out');
  const counts = new Uint32Array(ends);
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (row % ROWS_PER_STEP === 0) yield;
    if (offsets[row] === offsets[row + 1] || !isCounted(row)) continue;
    for (let edge = offsets[row]!; edge < offsets[row + 1]!; edge++)
      if (others[edge]! < ends) counts[others[edge]!]!++;
  }
  return counts;
}
