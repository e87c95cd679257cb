import { z } from 'zod';
import { ALL_KINDS, commonRouteShape, countSchema, kindsSchema, weightSchema } from '../route-settings.ts';

/** Dynamic Weighted PageRank (MemORAI §3.3), specified exactly in docs/papers.md §2. */
export const pagerankSchema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('pagerank'),
  kinds: kindsSchema,
  /** Weight of its lists in the fusion. */
  weight: weightSchema,
  /** Whether turns that the memory gate dropped are ranked too. */
  turns: z.enum(['kept', 'all']),
  /** What is ranked: the neighbourhood of the seeds, or the whole graph. */
  graph: z.enum(['subgraph', 'full']),
  /** Number of seeds of each aspect: segments, entities, facts. */
  seeds: countSchema,
  /** `directed`: rank flows from entities to turns to segments and along relations, never back. */
  edges: z.enum(['symmetric', 'directed']),
  /** Weights by the question (equation 1), or uniform. */
  edgeWeights: z.enum(['question', 'uniform']),
  /** Whether propositions are edges too, one for each pair of their participants. */
  propositions: z.boolean(),
  /** Share of a node's rank that comes from its neighbours. */
  damping: z.number().min(0).max(0.99),
});
export type PagerankRoute = z.output<typeof pagerankSchema>;

/**
 * The fewest seeds of each kind whose subgraph holds 94 % of the evidence, as in the paper (MemORAI Table
 * 7), on five conversations of LoCoMo.
 */
const SEEDS = 13;

export const PAGERANK: PagerankRoute = {
  route: 'pagerank',
  kinds: ALL_KINDS,
  weight: 1,
  turns: 'kept',
  graph: 'subgraph',
  seeds: SEEDS,
  edges: 'symmetric',
  edgeWeights: 'question',
  propositions: true,
  damping: 0.5,
};
