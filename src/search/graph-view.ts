import { z } from 'zod';
import { InvalidInputError } from '../errors/invalid-input-error.ts';
import { type Adjacency, buildAdjacency, type EdgeColumns } from './adjacency.ts';
import { Growable } from './growable.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';

export type Direction = 'out' | 'in';

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  /** Float32. Default 1. */
  readonly weight?: number | undefined;
  /** What the edge stands for, a caller's number from 0 to 255. Default 0. */
  readonly type?: number | undefined;
}

/** The edges of one node in parallel arrays: views, valid until the next change of the graph. */
export interface Neighbours {
  readonly ordinals: Uint32Array;
  readonly weights: Float32Array;
  readonly types: Uint8Array;
}

const FORMAT = 1;
const MAXIMUM_NODES = 2 ** 28;
const headerSchema = z.object({
  format: z.literal(FORMAT),
  nodes: z.number().int().nonnegative().max(MAXIMUM_NODES),
});

/**
 * A directed multigraph of ordinals as compressed adjacency, in both directions. Changes are gathered and
 * merged when the graph is next read, in time linear in nodes and edges.
 */
export class GraphView {
  #nodes: number;
  readonly #froms = new Growable(Uint32Array);
  readonly #tos = new Growable(Uint32Array);
  readonly #weights = new Growable(Float32Array);
  readonly #types = new Growable(Uint8Array);
  /** What is to be removed, and how many edges there were then: later ones are not meant. */
  readonly #removedNodes = new Map<number, number>();
  readonly #removedEdges = new Map<string, number>();
  #out: Adjacency | null = null;
  #in: Adjacency | null = null;

  /** A graph of so many nodes without edges; an edge to a higher ordinal makes it larger. */
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
    if (nodes <= this.#nodes) return;
    this.#nodes = nodes;
    this.#forgetAdjacency();
  }

  /** @throws InvalidInputError for an ordinal that is not a whole number, or a type beyond 255. */
  addEdge({ from, to, weight = 1, type = 0 }: GraphEdge): void {
    if (
      ![from, to].every((ordinal) => Number.isInteger(ordinal) && ordinal >= 0 && ordinal < MAXIMUM_NODES)
    ) {
      throw new InvalidInputError('The ends of an edge must be whole numbers from 0');
    }
    if (!Number.isInteger(type) || type < 0 || type > 255) {
      throw new InvalidInputError('The type of an edge must be a whole number from 0 to 255');
    }
    this.#froms.push(from);
    this.#tos.push(to);
    this.#weights.push(weight);
    this.#types.push(type);
    this.#nodes = Math.max(this.#nodes, from + 1, to + 1);
    this.#forgetAdjacency();
  }

  /** Removes every edge of that type between two nodes, in that direction. */
  removeEdge(from: number, to: number, type = 0): void {
    this.#removedEdges.set(`${from} ${to} ${type}`, this.#froms.length);
    this.#forgetAdjacency();
  }

  /** Removes every edge that leaves or reaches a node; the ordinal stays. */
  removeNode(ordinal: number): void {
    this.#removedNodes.set(ordinal, this.#froms.length);
    this.#forgetAdjacency();
  }

  /** The edges that leave (`out`) or reach (`in`) a node, in the order in which they were added. */
  neighbours(ordinal: number, direction: Direction = 'out'): Neighbours {
    const { offsets, others, weights, types } = this.adjacency(direction);
    const start = offsets[ordinal] ?? 0;
    const end = offsets[ordinal + 1] ?? start;
    return {
      ordinals: others.subarray(start, end),
      weights: weights.subarray(start, end),
      types: types.subarray(start, end),
    };
  }

  degree(ordinal: number, direction: Direction = 'out'): number {
    const { offsets } = this.adjacency(direction);
    return ordinal < this.#nodes ? offsets[ordinal + 1]! - offsets[ordinal]! : 0;
  }

  /** All edges by their from (`out`) or to (`in`) end, for loops over the whole graph. Not to be changed. */
  adjacency(direction: Direction): Adjacency {
    this.#applyRemovals();
    if (direction === 'out') {
      this.#out ??= buildAdjacency(this.#nodes, 'from', this.#columns());
      return this.#out;
    }
    this.#in ??= buildAdjacency(this.#nodes, 'to', this.#columns());
    return this.#in;
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

  /** Null when the sections are not those of a graph view. */
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

  /** The removals gathered so far, in one pass over the edges. */
  #applyRemovals(): void {
    if (this.#removedNodes.size === 0 && this.#removedEdges.size === 0) return;
    const { froms, tos, weights, types } = this.#columns();
    const kept = froms.map((_, edge) => edge).filter((edge) => !this.#isRemoved(edge));
    this.#removedNodes.clear();
    this.#removedEdges.clear();
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
    if (edge < (this.#removedNodes.get(from) ?? 0) || edge < (this.#removedNodes.get(to) ?? 0)) return true;
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
    this.#out = null;
    this.#in = null;
  }
}
