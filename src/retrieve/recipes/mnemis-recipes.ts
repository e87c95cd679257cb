import { SYSTEM2 } from '../categories/defaults.ts';
import { ALONE, SYSTEM1 } from '../similarity/defaults.ts';
import { type Recipe, recipe } from './recipe.ts';

/** Candidates of each kind: what a cross-encoder on a processor reads in about a second. */
const RERANKED = 50;
const SYSTEM2_LOCAL = { ...SYSTEM2, selector: 'local' } as const;

/** The routes of the Mnemis paper (§2.3), together and apart. */
export const MNEMIS_RECIPES: readonly Recipe[] = [
  recipe(
    'system1',
    'BM25 and vectors over episodes, entities and facts; a turn is read in its conversation',
    {
      routes: [SYSTEM1],
    },
  ),
  recipe('system1-rag', 'system1 on episodes only', { routes: [{ ...SYSTEM1, kinds: ['episode'] }] }),
  recipe('system1-reranked', 'system1, the best of each kind reranked where there is a reranker', {
    routes: [SYSTEM1],
    rerank: RERANKED,
  }),
  recipe('system1-graph', 'system1 on entities and facts only; their source turns are ranked', {
    routes: [{ ...SYSTEM1, kinds: ['entity', 'fact'] }],
  }),
  recipe(
    'system1-balanced',
    'system1 with equal weight for vectors: for embedders that understand sentences',
    { routes: [{ ...SYSTEM1, lists: { lexical: 1, vector: 1 } }] },
  ),
  recipe('system1-lexical', 'system1 without vectors', {
    routes: [{ ...SYSTEM1, lists: { lexical: 1, vector: 0 } }],
  }),
  recipe('system1-vector', 'system1 without BM25', {
    routes: [{ ...SYSTEM1, lists: { lexical: 0, vector: 1 } }],
  }),
  recipe(
    'system1-paper',
    'the two lists with equal weight, each turn by itself, facts whenever they held (Mnemis §2.3)',
    { routes: [{ ...SYSTEM1, lists: { lexical: 1, vector: 1 }, reading: ALONE }], validity: 'any' },
  ),
  recipe('system2', 'a walk down the category hierarchy, by the language model where there is one', {
    routes: [SYSTEM2],
  }),
  recipe('system2-local', 'system2 without a language model', { routes: [SYSTEM2_LOCAL] }),
  recipe('mnemis', 'system1 and system2 together, reranked where there is a reranker (Mnemis §2.3)', {
    routes: [SYSTEM1, SYSTEM2],
    rerank: RERANKED,
  }),
  recipe('mnemis-local', 'mnemis without a language model', {
    routes: [SYSTEM1, SYSTEM2_LOCAL],
    rerank: RERANKED,
  }),
];
