import { type Adjacency, buildAdjacency } from '../../search/graph-view.ts';
import { Growable } from '../../search/ordinals.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Limit } from '../within-time.ts';
import type { PagerankRoute } from './defaults.ts';
import type { RankableRows } from './rankable-rows.ts';
import type { Cosines, NodeSet } from './subgraph.ts';

/** A scope as a PageRank graph: entities, turns and segments, with facts as edges (docs/papers.md §2.3). */
interface Projection {
  /** Incoming edges of each node, in the numbers of the node set. */
  readonly incoming: Adjacency;
  /** Number of edges without the added reverses. */
  readonly edges: number;
  /** By node, the similarity of its own vector to the question. */
  readonly scores: Float64Array;
}

interface Parts {
  readonly nodes: NodeSet;
  readonly rows: RankableRows;
  readonly cosines: Cosines;
  readonly limit: Limit;
}

/** Minimum weight of an edge, for any distance from the question. */
const LEAST_WEIGHT = 0.001;
const ROWS_PER_CHECK = 1_024;

/** The edges inside a set of nodes, weighted by equation 1 (MemORAI §3.3.2). */
export function projectionOf(
  index: ScopeIndex,
  parts: Parts,
  settings: Pick<PagerankRoute, 'edges' | 'edgeWeights'>,
): Projection {
  const edges = new WeightedEdges(settings);
  addTurnEdges(index, parts, edges);
  addPairs(parts, edges);
  const incoming = edges.incoming(parts.nodes.size);
  return { incoming, edges: edges.count, scores: nodeScores(parts) };
}

/** Entity → turn and turn → segment. */
function addTurnEdges({ graphs }: ScopeIndex, parts: Parts, edges: WeightedEdges): void {
  const { nodes, rows, cosines, limit } = parts;
  const { places, firstTurn, firstSegment } = nodes;
  const mentions = graphs.mentions.adjacency('out');
  const inSegment = graphs.inSegment.adjacency('out');
  for (let turn = 0; turn < rows.turns.length; turn++) {
    if (turn % ROWS_PER_CHECK === 0) limit.check();
    const place = places[firstTurn + turn]!;
    if (place < 0) continue;
    let sum = 0;
    let count = 0;
    for (let at = mentions.offsets[turn] ?? 0; at < (mentions.offsets[turn + 1] ?? 0); at++) {
      const entity = mentions.others[at]!;
      if (rows.entities[entity] !== 1) continue;
      const cosine = cosines.entity[entity]!;
      sum += cosine;
      count++;
      if (places[entity]! >= 0) edges.add(places[entity]!, place, cosine);
    }
    const mean = count > 0 ? sum / count : cosines.turn[turn]!;
    for (let at = inSegment.offsets[turn] ?? 0; at < (inSegment.offsets[turn + 1] ?? 0); at++) {
      const segment = places[firstSegment + inSegment.others[at]!]!;
      if (segment >= 0) edges.add(place, segment, mean);
    }
  }
}

/** Entity → entity, one edge for each fact that joins the two. */
function addPairs({ nodes: { places }, rows, cosines, limit }: Parts, edges: WeightedEdges): void {
  const { froms, tos, facts } = rows.pairs;
  for (let pair = 0; pair < facts.length; pair++) {
    if (pair % ROWS_PER_CHECK === 0) limit.check();
    const from = places[froms[pair]!]!;
    const to = places[tos[pair]!]!;
    if (from < 0 || to < 0) continue;
    const cosine = cosines.fact[facts[pair]!]!;
    edges.add(from, to, cosine, pair >= rows.propositionsFrom);
  }
}

function nodeScores({ nodes, cosines }: Parts): Float64Array {
  const { firstTurn, firstSegment } = nodes;
  const scores = new Float64Array(nodes.size);
  for (let place = 0; place < scores.length; place++) {
    const node = nodes.nodeAt(place);
    if (node < firstTurn) scores[place] = cosines.entity[node]!;
    else if (node < firstSegment) scores[place] = cosines.turn[node - firstTurn]!;
    else scores[place] = cosines.segment[node - firstSegment]!;
  }
  return scores;
}

/** The edges of a projection: turns cosines into weights, and adds reverse edges. */
class WeightedEdges {
  /** Without reverse edges. */
  count = 0;
  readonly #isSymmetric: boolean;
  readonly #isUniform: boolean;
  readonly #froms = new Growable(Uint32Array);
  readonly #tos = new Growable(Uint32Array);
  readonly #weights = new Growable(Float32Array);

  constructor({ edges, edgeWeights }: Pick<PagerankRoute, 'edges' | 'edgeWeights'>) {
    this.#isSymmetric = edges === 'symmetric';
    this.#isUniform = edgeWeights === 'uniform';
  }

  /** @param bothWays Whether it also has a reverse in a directed graph. */
  add(from: number, to: number, cosine: number, bothWays = false): void {
    const weight = this.#isUniform ? 1 : Math.max(LEAST_WEIGHT, cosine);
    this.count++;
    this.#push(from, to, weight);
    if (this.#isSymmetric || bothWays) this.#push(to, from, weight);
  }

  /** Adjacency by target node. */
  incoming(nodes: number): Adjacency {
    const [froms, tos, weights] = [this.#froms.values(), this.#tos.values(), this.#weights.values()];
    return buildAdjacency(nodes, 'to', { froms, tos, weights, types: new Uint8Array(froms.length) });
  }

  #push(from: number, to: number, weight: number): void {
    this.#froms.push(from);
    this.#tos.push(to);
    this.#weights.push(weight);
  }
}
