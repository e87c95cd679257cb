import type { RouteInput } from '../route.ts';
import { type Cosines, cosinesOf } from './cosines.ts';
import type { NodeSet } from './node-set.ts';
import { pagerank, scaledSeeds } from './pagerank.ts';
import { projectionOf } from './projection.ts';
import { type RankableRows, rankableRows } from './rankable-rows.ts';
import type { PagerankRoute } from './settings.ts';
import { seedsOf, subgraphOf, wholeGraphOf } from './subgraph.ts';

/** What a question leads to before it is ranked. */
interface Surroundings {
  readonly cosines: Cosines;
  readonly nodes: NodeSet;
  readonly rows: RankableRows;
}

/** The ranks of a question's nodes, and what they took. */
export interface RankedNodes extends Surroundings {
  /** By place in the node set. */
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
    ...{ seedsMs: took(0), projectionMs: took(1), pagerankMs: took(2) },
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
