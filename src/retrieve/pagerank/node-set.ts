import type { ScopeIndex } from '../../search/scope-index.ts';

const NOT_IN = -1;

/**
 * The nodes of a projection. Each has a number in the whole graph, entities before turns before segments, and one among
 * those that take part, from 0 in the order in which they were added.
 */
export class NodeSet {
  /** Numbers of the first turn and the first segment in the whole graph. */
  readonly firstTurn: number;
  readonly firstSegment: number;
  /** By number in the whole graph, the number among these; −1 for nodes that take no part. */
  readonly places: Int32Array;
  readonly #nodes: Uint32Array;
  #size = 0;

  constructor({ entities, episodes, segments }: ScopeIndex) {
    this.firstTurn = entities.ids.length;
    this.firstSegment = this.firstTurn + episodes.length;
    const all = this.firstSegment + segments.length;
    this.places = new Int32Array(all).fill(NOT_IN);
    this.#nodes = new Uint32Array(all);
  }

  get size(): number {
    return this.#size;
  }

  /** Numbers in the whole graph: a view, until the next one is added. */
  get nodes(): Uint32Array {
    return this.#nodes.subarray(0, this.#size);
  }

  /** Number in the whole graph of the one at a place. */
  nodeAt(place: number): number {
    return this.#nodes[place]!;
  }

  add(node: number): void {
    if (this.places[node] !== NOT_IN) return;
    this.places[node] = this.#size;
    this.#nodes[this.#size++] = node;
  }
}
