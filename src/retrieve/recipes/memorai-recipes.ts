import { PAGERANK } from '../pagerank/defaults.ts';
import { type Recipe, recipe } from './recipe.ts';

/** The route of the MemORAI paper (§3.3) and its ablations. */
export const MEMORAI_RECIPES: readonly Recipe[] = [
  recipe('memorai', 'PageRank over what is around the question, edges weighted by nearness to it', {
    routes: [PAGERANK],
  }),
  recipe('memorai-uniform', 'memorai with every edge weighted the same', {
    routes: [{ ...PAGERANK, edgeWeights: 'uniform' }],
  }),
  recipe('memorai-full-graph', 'memorai over everything in memory', {
    routes: [{ ...PAGERANK, graph: 'full' }],
  }),
  recipe('memorai-directed', 'memorai with rank that flows along the edges of the equations only', {
    routes: [{ ...PAGERANK, edges: 'directed' }],
  }),
  recipe('memorai-paper', 'ten seeds of each kind, relations alone as edges (MemORAI §3.3; its k is 3)', {
    routes: [{ ...PAGERANK, seeds: 10, propositions: false }],
  }),
];
