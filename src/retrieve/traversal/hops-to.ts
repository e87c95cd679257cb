import type { TraversalGraph } from './traversal-graph.ts';

/** Hops from nodes to one goal, by breadth-first search from the goal, ring by ring and only as far as is asked. */
export class HopsTo {
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

  /** Null where no way leads to the goal. */
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
