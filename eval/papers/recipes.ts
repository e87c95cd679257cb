import { UnknownNameError } from '../../src/errors/index.ts';
import { PAGERANK } from '../../src/retrieve/pagerank/defaults.ts';
import { type Recipe, recipe } from '../../src/retrieve/recipes/recipe.ts';
import { RECIPE_NAMES, RECIPES, recipeNamed, traversal } from '../../src/retrieve/recipes/recipes.ts';
import { ALONE, SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';
import { TOPICS, type TopicsRoute } from '../../src/retrieve/topics/defaults.ts';
import { ALGORITHMS, type Heuristic, TRAVERSAL } from '../../src/retrieve/traversal/defaults.ts';
import type { NodeType } from '../../src/retrieve/traversal/traversal-graph.ts';

const aStar = (heuristic: Heuristic) => traversal(['a-star'], { aStar: { ...TRAVERSAL.aStar, heuristic } });
const without = (type: NodeType) =>
  traversal(ALGORITHMS, { allowed: TRAVERSAL.allowed.filter((each) => each !== type) });

function gam(name: string, description: string, route: Partial<TopicsRoute> = {}): Recipe {
  return recipe(name, description, { routes: [{ ...TOPICS, ...route }] });
}

/** Recipes exactly as in the papers, and their ablations; `RECIPES` has the rest. */
export const PAPER_RECIPES: readonly Recipe[] = [
  recipe('system1-graph', 'system1 on entities and facts only; their source turns are ranked', {
    routes: [{ ...SYSTEM1, kinds: ['entity', 'fact'] }],
  }),
  recipe(
    'system1-paper',
    'the two lists with equal weight, each turn by itself, facts whenever they held (Mnemis §2.3)',
    { routes: [{ ...SYSTEM1, fusion: 'ranks', reading: ALONE }], validity: 'any' },
  ),
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
  // GAM §4.4. The ablation without SSM is an ingest profile.
  gam('gam-without-tan', 'gam over the turns nearest to the question, without topics', { anchors: 'none' }),
  gam('gam-without-epg', 'gam that ranks what was noted of topics, and gives the turns of the best ones', {
    candidates: 'summaries',
  }),
  gam('gam-without-mfr', 'gam that ranks turns by their cosine alone', { rerank: 'cosine' }),
  recipe('personalai-astar-weighted', 'A*, the inner product times the hops that are left', {
    routes: [aStar('weighted')],
  }),
  recipe('personalai-astar-averaged', 'A*, the mean distance along the path times the hops that are left', {
    routes: [aStar('averaged-weighted')],
  }),
  recipe('personalai-water-circles-and-beam', 'WaterCircles and BeamSearch together', {
    routes: [traversal(['water-circles', 'beam-search'])],
  }),
  recipe('personalai-astar-and-water-circles', 'A* and WaterCircles together', {
    routes: [traversal(['a-star', 'water-circles'])],
  }),
  recipe('personalai-astar-and-beam', 'A* and BeamSearch together', {
    routes: [traversal(['a-star', 'beam-search'])],
  }),
  recipe('personalai-without-episodes', 'personalai-all that enters no episode', {
    routes: [without('episode')],
  }),
  recipe('personalai-without-theses', 'personalai-all that enters no proposition', {
    routes: [without('thesis')],
  }),
  recipe('personalai-without-objects', 'personalai-all that enters no entity but the question’s', {
    routes: [without('object')],
  }),
];

/** A recipe of a paper, or one of `RECIPES`. @throws UnknownNameError, which lists the names. */
export function paperRecipeNamed(name: string): Recipe {
  const recipe = PAPER_RECIPES.find((candidate) => candidate.name === name);
  if (recipe !== undefined) return recipe;
  if (RECIPE_NAMES.includes(name)) return recipeNamed(name);
  const papers = PAPER_RECIPES.map((candidate) => candidate.name);
  throw new UnknownNameError('recipe', name, [...RECIPE_NAMES, ...papers]);
}

/** The traversals of PersonalAI as its tables list them: alone, together, and restricted. */
export function personalaiRecipes(): readonly Recipe[] {
  return [
    ...['astar', 'astar-weighted', 'astar-averaged', 'water-circles', 'beam', 'water-circles-and-beam'],
    ...['astar-and-water-circles', 'astar-and-beam', 'all', 'without-episodes', 'without-theses'],
    ...['without-objects', 'mixture'],
  ].map((name) => paperRecipeNamed(`personalai-${name}`));
}

const FACTORS = [1, 1.2, 1.4, 1.6, 1.8, 2];
const SIZES = [5, 10, 15, 20, 30, 40];

/** The sensitivity studies of GAM (Appendix D): each factor alone from 1 to 2, and k from 5 to 40. */
export function gamSweeps(): readonly Recipe[] {
  const ofFactors = (['time', 'role', 'confidence'] as const).flatMap((factor) =>
    FACTORS.map((value) =>
      gam(`gam-${factor}-${value.toFixed(1).replace('.', '-')}`, `gam with a ${factor} factor of ${value}`, {
        factors: { ...TOPICS.factors, [factor]: value },
      }),
    ),
  );
  const ofSizes = SIZES.map((k) =>
    gam(`gam-k-${k}`, `gam with ${k} topics, and ${k} turns found`, { topics: k, results: k }),
  );
  return [...ofFactors, ...ofSizes];
}

/** What `mnemis eval` lists. */
export const EVERY_RECIPE: readonly Recipe[] = [...RECIPES, ...PAPER_RECIPES];
