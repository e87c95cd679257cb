import { UnknownNameError } from '../../errors/index.ts';
import { SYSTEM2 } from '../categories/defaults.ts';
import { PAGERANK } from '../pagerank/defaults.ts';
import { SYSTEM1 } from '../similarity/defaults.ts';
import { TOPICS } from '../topics/defaults.ts';
import { ALGORITHMS, type Algorithm, TRAVERSAL, type TraversalRoute } from '../traversal/defaults.ts';
import { parseRecipe, type Recipe, recipe } from './recipe.ts';

/** Default recipe of `search` and `ask`: `system1`, with more routes for questions that ask for all of something. */
export const DEFAULT_RECIPE = 'auto';

/** Depth for questions about several things: ten sessions may mean more than a hundred turns. */
const WIDE = 200;
/** WaterCircles after the first places: it finds more of the sessions, but ranks turns worse than similarity. */
const AFTER_THE_FIRST = {
  weight: 0.3,
  below: 10,
  waterCircles: { ...TRAVERSAL.waterCircles, hyper: 5 },
};
/** Candidates per kind: a cross-encoder on a CPU reads these in about a second. */
const RERANKED = 50;
/** What system2 weighs beside system1’s one list; 0.03 to 0.06 are the same on LoCoMo and BEAM. */
const BESIDE_SUM = { ...SYSTEM2.weights, enumerating: 0.04 };
const SYSTEM2_LOCAL = { ...SYSTEM2, selector: 'local' } as const;

/**
 * The recipes available by name; the variants that the papers compare are in `eval/papers/recipes.ts`. Weights apply
 * to reciprocal ranks, calibrated on LoCoMo's development split by type of question: docs/results.md has the curves.
 */
export const RECIPES: readonly Recipe[] = [
  recipe(
    'auto',
    'system1; for all of something also system2 and WaterCircles, where memory holds what they need',
    {
      routes: [
        SYSTEM1,
        { ...SYSTEM2, weights: BESIDE_SUM, when: { asks: 'all', holds: { categories: 1 } } },
        {
          ...traversal(['water-circles'], AFTER_THE_FIRST),
          when: { asks: 'all', holds: { entities: 1 } },
        },
      ],
      depth: WIDE,
      rerank: RERANKED,
    },
  ),
  recipe('everything', 'every route, system1 counting most', {
    routes: [
      SYSTEM1,
      SYSTEM2,
      { ...PAGERANK, turns: 'all', weight: 0.05 },
      { ...TOPICS, weight: 0.05 },
      { ...TRAVERSAL, weight: 0.05 },
    ],
    depth: WIDE,
    rerank: RERANKED,
  }),
  recipe(
    'system1',
    'BM25 and vectors over episodes, entities and facts; a turn is read in its conversation (Mnemis §2.3)',
    { routes: [SYSTEM1] },
  ),
  recipe('system1-rag', 'system1 on episodes only', { routes: [{ ...SYSTEM1, kinds: ['episode'] }] }),
  recipe('system1-reranked', 'system1, the best of each kind reranked where there is a reranker', {
    routes: [SYSTEM1],
    rerank: RERANKED,
  }),
  recipe('system1-balanced', 'system1 by the reciprocal ranks of two lists with equal weight', {
    routes: [{ ...SYSTEM1, fusion: 'ranks' }],
  }),
  recipe('system1-lexical', 'system1 without vectors', {
    routes: [{ ...SYSTEM1, lists: { lexical: 1, vector: 0 } }],
  }),
  recipe('system1-vector', 'system1 without BM25', {
    routes: [{ ...SYSTEM1, lists: { lexical: 0, vector: 1 } }],
  }),
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
  recipe(
    'memorai',
    'PageRank over what is around the question, edges weighted by nearness to it (MemORAI §3.3)',
    { routes: [PAGERANK] },
  ),
  recipe(
    'gam',
    'the topics nearest to the question, their neighbours, and the turns of all of these (GAM §3.4)',
    { routes: [TOPICS] },
  ),
  recipe('personalai-astar', 'A* between the entities of the question, by inner product', {
    routes: [traversal(['a-star'])],
  }),
  recipe('personalai-water-circles', 'what lies around the entities of the question, and where that meets', {
    routes: [traversal(['water-circles'])],
  }),
  recipe('personalai-beam', 'paths from the entities of the question whose triplets are near to it', {
    routes: [traversal(['beam-search'])],
  }),
  recipe(
    'personalai-all',
    'A*, WaterCircles and BeamSearch together (PersonalAI, "Retrieve Algorithms", Appendix F)',
    { routes: [traversal(ALGORITHMS)] },
  ),
  recipe('personalai-mixture', 'system1, and A* and BeamSearch by words and vectors, with equal weights', {
    routes: [SYSTEM1, traversal(['a-star', 'beam-search'], { similarity: 'words-and-cosine' })],
  }),
];

/** Plain names for recipes named after papers. */
export const RECIPE_ALIASES: Readonly<Record<string, string>> = {
  similarity: 'system1',
  categories: 'system2',
  'similarity+categories': 'mnemis',
  pagerank: 'memorai',
  topics: 'gam',
  traversal: 'personalai-all',
};

/** Every name that `recipeNamed` accepts. */
export const RECIPE_NAMES: readonly string[] = [
  ...RECIPES.map(({ name }) => name),
  ...Object.keys(RECIPE_ALIASES),
];

/** The route of PersonalAI with these algorithms. */
export function traversal(
  algorithms: readonly Algorithm[],
  more: Partial<TraversalRoute> = {},
): TraversalRoute {
  return { ...TRAVERSAL, algorithms, ...more };
}

/** Resolves the name of a recipe, or validates a caller's own. */
export function recipeFrom(recipe: string | Recipe): Recipe {
  return typeof recipe === 'string' ? recipeNamed(recipe) : parseRecipe(recipe);
}

/** Finds one of `RECIPES` by name or alias. @throws UnknownNameError, which lists the names. */
export function recipeNamed(name: string): Recipe {
  const wanted = Object.hasOwn(RECIPE_ALIASES, name) ? RECIPE_ALIASES[name] : name;
  const recipe = RECIPES.find((candidate) => candidate.name === wanted);
  if (recipe === undefined) throw new UnknownNameError('recipe', name, RECIPE_NAMES);
  return recipe;
}
