import type { ScopeIndex } from '../../search/scope-index.ts';
import { type Hit, topK } from '../../search/top-k.ts';
import { listsById, NO_LISTS, type RankedList, rankedList, rankingOf } from '../fuse.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import type { SearchedKind } from '../route-settings.ts';
import type { Eligible } from '../time-view.ts';
import type { PagerankRoute } from './defaults.ts';
import { projectionOf } from './edge-weights.ts';
import { pagerank, scaledSeeds } from './pagerank.ts';
import { type RankableRows, rankableRows } from './rankable-rows.ts';
import { type Cosines, cosinesOf, type NodeSet, seedsOf, subgraphOf, wholeGraphOf } from './subgraph.ts';

/**
 * Dynamic Weighted PageRank (MemORAI §3.3): turns and entities by rank, and the facts that cite the turns, in the
 * turns' order. A deep enough list has every turn of the subgraph, those of rank 0 last: the share of the evidence
 * among them is the paper's turn coverage (Table 7).
 */
export function runPagerank(input: RouteInput, route: PagerankRoute): RouteResult {
  if (input.queryVector.every((value) => value === 0))
    return { lists: NO_LISTS, report: { notes: ['the question has no words that could be compared'] } };
  const { index } = input.context;
  const ranked = rankQuestion(input, route);
  const { firstTurn, firstSegment } = ranked.nodes;
  const turns = ranksOf(ranked, { first: firstTurn, end: firstSegment, depth: input.depth });
  const entities = ranksOf(ranked, { first: 0, end: firstTurn, depth: input.depth });
  const facts = citingFacts(index, turns, { ranked, eligible: input.rows().eligible, depth: input.depth });
  const lists = (kind: SearchedKind, hits: readonly Hit[]): RankedList[] =>
    route.kinds.includes(kind) && hits.length > 0
      ? [rankedList(rankingOf(hits), { route: 'pagerank', list: 'pagerank', weight: route.weight })]
      : [];
  const ordinals = {
    episode: lists('episode', turns),
    fact: lists('fact', facts),
    entity: lists('entity', entities).map((list) => ({
      ...list,
      keys: list.keys.map((entity) => index.entities.ids.idOf(entity)),
    })),
  };
  return { lists: listsById(ordinals, index), report: { figures: ranked.figures } };
}

/** The best nodes of one kind in the subgraph, by ordinal; the older one first on a tie. */
function ranksOf(
  { nodes, ranks }: RankedNodes,
  { first, end, depth }: { readonly first: number; readonly end: number; readonly depth: number },
): Hit[] {
  const ofKind = new Float32Array(end - first).fill(Number.NEGATIVE_INFINITY);
  for (const [place, node] of nodes.nodes.entries())
    if (node >= first && node < end) ofKind[node - first] = ranks[place]!;
  return topK(ofKind, depth, { above: Number.NEGATIVE_INFINITY });
}

interface FactsAsked {
  readonly ranked: RankedNodes;
  readonly eligible: Eligible;
  readonly depth: number;
}

/** Each fact once, with the best turn that it cites; facts of one turn by similarity to the question. */
function citingFacts(
  { facts, graphs }: ScopeIndex,
  turns: readonly Hit[],
  { ranked, eligible, depth }: FactsAsked,
): Hit[] {
  const cosine = ranked.cosines.fact;
  const seen = new Uint8Array(facts.length);
  const found: Hit[] = [];
  for (const { ordinal: turn, score } of turns) {
    if (found.length >= depth) break;
    const citing = Array.from(graphs.evidence.neighbours(turn, 'in').ordinals)
      .filter((fact) => seen[fact] === 0 && facts.lexical.has(fact) && eligible.fact?.[fact] !== 0)
      .sort((a, b) => cosine[b]! - cosine[a]! || a - b);
    for (const fact of citing) {
      seen[fact] = 1;
      found.push({ ordinal: fact, score });
    }
  }
  return found.slice(0, depth);
}

/** The subgraph of a question, before ranking. */
interface Surroundings {
  readonly cosines: Cosines;
  readonly nodes: NodeSet;
  readonly rows: RankableRows;
}

/** The ranks of a question's nodes, and how long they took. */
interface RankedNodes extends Surroundings {
  /** By position in the node set. */
  readonly ranks: Float64Array;
  readonly figures: Readonly<Record<string, number>>;
}

export function rankQuestion(input: RouteInput, route: PagerankRoute): RankedNodes {
  const { limit } = input;
  const times = [performance.now()];
  const lap = () => times.push(performance.now());
  const around = surroundingsOf(input, route);
  lap();
  const projection = projectionOf(input.context.index, { ...around, limit }, route);
  const seeds = scaledSeeds(projection.scores);
  lap();
  const { damping } = route;
  const { ranks, rounds } = pagerank(projection.incoming, seeds, { damping, check: () => limit.check() });
  lap();
  const took = (part: number) => times[part + 1]! - times[part]!;
  const figures = {
    subgraphNodes: around.nodes.size,
    subgraphEdges: projection.edges,
    rounds,
    seedsMs: took(0),
    projectionMs: took(1),
    pagerankMs: took(2),
  };
  return { ...around, ranks, figures };
}

function surroundingsOf(input: RouteInput, route: PagerankRoute): Surroundings {
  const { context, queryVector, limit } = input;
  const { index } = context;
  const { eligible } = input.rows();
  const cosines = cosinesOf(index, queryVector);
  const rows = rankableRows(index, { eligible, limit }, route);
  const nodes =
    route.graph === 'full'
      ? wholeGraphOf(index, rows)
      : subgraphOf(index, seedsOf(rows, cosines, route.seeds), { rows, limit });
  return { cosines, rows, nodes };
}
