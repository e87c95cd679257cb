import { dotProduct } from '../../util/dot-product.ts';
import type { LayerNode } from '../categorizer.ts';

export interface Point {
  readonly node: LayerNode;
  /** Read once: a node's vector is copied out of the index each time that it is asked for. */
  readonly vector: Float32Array;
}

/** The middle of the names of some nodes, by their vectors as they were when it was made. */
export class Centre {
  readonly #nodes: ReadonlySet<LayerNode>;
  readonly #sum: Float64Array | null;
  readonly #square: number;

  constructor(nodes: ReadonlySet<LayerNode>) {
    this.#nodes = new Set(nodes);
    this.#sum = null;
    for (const { vector } of nodes) {
      if (vector === null) continue;
      this.#sum ??= new Float64Array(vector.length);
      for (let at = 0; at < vector.length; at++) this.#sum[at]! += vector[at]!;
    }
    this.#square = this.#sum?.reduce((total, value) => total + value * value, 0) ?? 0;
  }

  /** Cosine to the other members; 0 where there are none. */
  similarity({ node, vector }: Point): number {
    if (this.#sum === null) return 0;
    const dot = dotProduct(this.#sum, vector);
    const own = this.#nodes.has(node) ? 1 : 0;
    // (s − v)·v and |s − v|² of a unit v.
    const square = this.#square - own * (2 * dot - 1);
    return square < 1e-9 ? 0 : (dot - own) / Math.sqrt(square);
  }
}
