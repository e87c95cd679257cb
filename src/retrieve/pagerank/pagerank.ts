/** Weighted edges by target node: compressed sparse rows, as `Adjacency`. */
export interface IncomingEdges {
  /** One more than the number of nodes. */
  readonly offsets: Uint32Array;
  /** Source node of each edge. */
  readonly others: Uint32Array;
  /** Above 0. */
  readonly weights: Float32Array;
}

export interface PagerankOptions {
  /** d of equation 2, from 0 to below 1. */
  readonly damping: number;
  /** Convergence: total change of ranks at which iteration stops. Default 1e-6. */
  readonly tolerance?: number;
  /** Maximum of iterations. Default 50. */
  readonly rounds?: number;
  /** Called every few thousand nodes; may throw to stop. */
  readonly check?: () => void;
}

export interface Ranks {
  /** By node. The sum is less than 1 if nodes without out-edges lose their mass. */
  readonly ranks: Float64Array;
  readonly rounds: number;
}

const NODES_PER_CHECK = 4_096;

/**
 * Weighted PageRank (MemORAI equations 2 and 3): PR(v) = (1 − d) · seed(v) + d · Σ over u → v of w(u→v) / (sum of
 * weights that leave u) · PR(u), from PR = seed until it converges.
 *
 * @param seeds By node; the sum is 1.
 */
export function pagerank(
  edges: IncomingEdges,
  seeds: Float64Array,
  { damping, tolerance = 1e-6, rounds: most = 50, check = () => {} }: PagerankOptions,
): Ranks {
  const perWeight = inverseOutWeights(edges, seeds.length);
  const outflow = new Float64Array(seeds.length);
  const ranks = seeds.slice();
  for (let round = 1; round <= most; round++) {
    // Divides each node's rank once, not once per edge.
    for (let node = 0; node < ranks.length; node++) outflow[node] = ranks[node]! * perWeight[node]!;
    if (step(edges, { outflow, seeds, ranks, damping, check }) < tolerance) return { ranks, rounds: round };
  }
  return { ranks, rounds: most };
}

/** The inverse of each node's total out-edge weight; 0 if it has none. */
function inverseOutWeights({ others, weights }: IncomingEdges, nodes: number): Float64Array {
  const sums = new Float64Array(nodes);
  for (let edge = 0; edge < others.length; edge++) sums[others[edge]!]! += weights[edge]!;
  for (let node = 0; node < nodes; node++) if (sums[node]! > 0) sums[node] = 1 / sums[node]!;
  return sums;
}

interface Step {
  readonly outflow: Float64Array;
  readonly seeds: Float64Array;
  /** Overwritten with the ranks of the next iteration. */
  readonly ranks: Float64Array;
  readonly damping: number;
  readonly check: () => void;
}

/** @returns Total change of all ranks. */
function step(
  { offsets, others, weights }: IncomingEdges,
  { outflow, seeds, ranks, damping, check }: Step,
): number {
  let changed = 0;
  let edge = 0;
  for (let node = 0; node < ranks.length; node++) {
    if (node % NODES_PER_CHECK === 0) check();
    const end = offsets[node + 1]!;
    let sum = 0;
    for (; edge < end; edge++) sum += weights[edge]! * outflow[others[edge]!]!;
    const rank = (1 - damping) * seeds[node]! + damping * sum;
    changed += Math.abs(rank - ranks[node]!);
    ranks[node] = rank;
  }
  return changed;
}

/** Turns node scores into seeds: negative scores become 0, the sum is 1; uniform if no score is above 0. */
export function scaledSeeds(scores: Float64Array): Float64Array {
  const seeds = scores.map((score) => Math.max(0, score));
  const sum = seeds.reduce((total, seed) => total + seed, 0);
  return sum > 0 ? seeds.map((seed) => seed / sum) : seeds.fill(1 / seeds.length);
}
