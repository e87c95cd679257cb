/** Weighted edges by the node that they reach: compressed sparse rows, as `Adjacency`. */
export interface IncomingEdges {
  /** One more than there are nodes. */
  readonly offsets: Uint32Array;
  /** The node that each edge leaves. */
  readonly others: Uint32Array;
  /** Above 0. */
  readonly weights: Float32Array;
}

export interface PagerankOptions {
  /** d of equation 2, from 0 to below 1. */
  readonly damping: number;
  /** Sum of changes below which the ranks are settled. Default 1e-6. */
  readonly tolerance?: number;
  /** At most. Default 50. */
  readonly rounds?: number;
  /** Called every few thousand nodes; what it throws ends the work. */
  readonly check?: () => void;
}

export interface Ranks {
  /** By node. They add up to less than 1 where nodes without out-edges drop their mass. */
  readonly ranks: Float64Array;
  readonly rounds: number;
}

const NODES_PER_CHECK = 4_096;

/**
 * Weighted PageRank (MemORAI equations 2 and 3): PR(v) = (1 − d) · seed(v) + d · Σ over u → v of
 * w(u→v) / (sum of weights that leave u) · PR(u), from PR = seed until it changes no more.
 *
 * @param seeds By node; they add up to 1.
 */
export function pagerank(
  edges: IncomingEdges,
  seeds: Float64Array,
  { damping, tolerance = 1e-6, rounds: most = 50, check = () => {} }: PagerankOptions,
): Ranks {
  const perWeight = inverseOutWeights(edges, seeds.length);
  const handed = new Float64Array(seeds.length);
  const ranks = seeds.slice();
  for (let round = 1; round <= most; round++) {
    // Each node's rank is divided once, not once for each of its edges.
    for (let node = 0; node < ranks.length; node++) handed[node] = ranks[node]! * perWeight[node]!;
    if (step(edges, { handed, seeds, ranks, damping, check }) < tolerance) return { ranks, rounds: round };
  }
  return { ranks, rounds: most };
}

/** One over what a node's out-edges weigh together; 0 where it has none. */
function inverseOutWeights({ others, weights }: IncomingEdges, nodes: number): Float64Array {
  const sums = new Float64Array(nodes);
  for (let edge = 0; edge < others.length; edge++) sums[others[edge]!]! += weights[edge]!;
  for (let node = 0; node < nodes; node++) if (sums[node]! > 0) sums[node] = 1 / sums[node]!;
  return sums;
}

interface Step {
  readonly handed: Float64Array;
  readonly seeds: Float64Array;
  /** Replaced by those of the next round. */
  readonly ranks: Float64Array;
  readonly damping: number;
  readonly check: () => void;
}

/** @returns How much all ranks changed together. */
function step(
  { offsets, others, weights }: IncomingEdges,
  { handed, seeds, ranks, damping, check }: Step,
): number {
  let changed = 0;
  let edge = 0;
  for (let node = 0; node < ranks.length; node++) {
    if (node % NODES_PER_CHECK === 0) check();
    const end = offsets[node + 1]!;
    let sum = 0;
    for (; edge < end; edge++) sum += weights[edge]! * handed[others[edge]!]!;
    const rank = (1 - damping) * seeds[node]! + damping * sum;
    changed += Math.abs(rank - ranks[node]!);
    ranks[node] = rank;
  }
  return changed;
}

/** Seeds from what nodes score: nothing below 0, scaled to add up to 1; all the same where no score is above 0. */
export function scaledSeeds(scores: Float64Array): Float64Array {
  const seeds = scores.map((score) => Math.max(0, score));
  const sum = seeds.reduce((total, seed) => total + seed, 0);
  return sum > 0 ? seeds.map((seed) => seed / sum) : seeds.fill(1 / seeds.length);
}
