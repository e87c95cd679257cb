import { type Adjacency, buildAdjacency } from '../../search/adjacency.ts';

const FIRST_CAPACITY = 1_024;

/** Weighted edges as they are found: three columns that grow together. */
export class EdgeList {
  #froms = new Uint32Array(FIRST_CAPACITY);
  #tos = new Uint32Array(FIRST_CAPACITY);
  #weights = new Float32Array(FIRST_CAPACITY);
  #length = 0;

  add(from: number, to: number, weight: number): void {
    if (this.#length === this.#froms.length) this.#grow();
    const edge = this.#length++;
    this.#froms[edge] = from;
    this.#tos[edge] = to;
    this.#weights[edge] = weight;
  }

  /** By the node that each reaches. */
  incoming(nodes: number): Adjacency {
    return buildAdjacency(nodes, 'to', {
      froms: this.#froms.subarray(0, this.#length),
      tos: this.#tos.subarray(0, this.#length),
      weights: this.#weights.subarray(0, this.#length),
      types: new Uint8Array(this.#length),
    });
  }

  #grow(): void {
    const capacity = 2 * this.#froms.length;
    const [froms, tos, weights] = [this.#froms, this.#tos, this.#weights];
    this.#froms = new Uint32Array(capacity);
    this.#tos = new Uint32Array(capacity);
    this.#weights = new Float32Array(capacity);
    this.#froms.set(froms);
    this.#tos.set(tos);
    this.#weights.set(weights);
  }
}
