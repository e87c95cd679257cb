import { UnknownNameError } from '../../src/errors/index.ts';
import { SYSTEM2, type System2Route } from '../../src/retrieve/categories/defaults.ts';
import { PAGERANK, type PagerankRoute } from '../../src/retrieve/pagerank/defaults.ts';
import { type Recipe, recipe } from '../../src/retrieve/recipes/recipe.ts';
import { RECIPE_NAMES, RECIPES, recipeNamed, traversal } from '../../src/retrieve/recipes/recipes.ts';
import {
  ALONE,
  type ConversationReading,
  READINGS,
  SYSTEM1,
  type System1Route,
} from '../../src/retrieve/similarity/defaults.ts';
import { TOPICS, type TopicsRoute } from '../../src/retrieve/topics/defaults.ts';
import { type Algorithm, type Heuristic, TRAVERSAL } from '../../src/retrieve/traversal/defaults.ts';
import type { NodeType } from '../../src/retrieve/traversal/traversal-graph.ts';

const aStar = (heuristic: Heuristic) => traversal(['a-star'], { aStar: { ...TRAVERSAL.aStar, heuristic } });

/** MemORAI and GAM as the papers run them: the question as it was asked. */
function memorai(name: string, description: string, route: Partial<PagerankRoute> = {}): Recipe {
  const routes = [{ ...PAGERANK, seeds: 10, propositions: false, ...route }];
  return recipe(name, description, { routes, question: 'whole' });
}
function gam(name: string, description: string, route: Partial<TopicsRoute> = {}): Recipe {
  const routes = [{ ...TOPICS, results: 10, reading: ALONE, ...route }];
  return recipe(name, description, { routes, question: 'whole' });
}

/** The algorithms that PersonalAI's tables compare, alone and in pairs. */
const WALKS: Readonly<Record<string, readonly Algorithm[]>> = {
  astar: ['a-star'],
  'water-circles': ['water-circles'],
  beam: ['beam-search'],
  'water-circles-and-beam': ['water-circles', 'beam-search'],
  'astar-and-beam': ['a-star', 'beam-search'],
  'astar-and-water-circles': ['a-star', 'water-circles'],
};
/** E, T and O of the tables. */
const FORBIDDEN: Readonly<Record<string, NodeType>> = {
  episodes: 'episode',
  theses: 'thesis',
  objects: 'object',
};

/** A setting of PersonalAI as the paper runs it: a model parses the question, and one filter ranks all triplets. */
function personalai(walk: string, forbidden?: string): Recipe {
  const route = traversal(WALKS[walk]!, {
    matching: { ...TRAVERSAL.matching, parser: 'model' },
    filter: { ...TRAVERSAL.filter, isOfUnion: true },
    ...(forbidden && { allowed: TRAVERSAL.allowed.filter((type) => type !== FORBIDDEN[forbidden]) }),
  });
  const name = `personalai-paper-${walk}${forbidden === undefined ? '' : `-without-${forbidden}`}`;
  const restricted = forbidden === undefined ? '' : `, without ${forbidden}`;
  return recipe(
    name,
    `${walk.replaceAll('-', ' ')}${restricted}: the question parsed by a model, one filter for all triplets (PersonalAI, "Set-Up")`,
    { routes: [route], question: 'whole' },
  );
}

/** The settings of PersonalAI's Tables 2 to 4: six without restriction, and all but WaterCircles alone with each. */
const PERSONALAI: readonly Recipe[] = [
  ...Object.keys(WALKS).map((walk) => personalai(walk)),
  ...Object.keys(WALKS)
    .filter((walk) => walk !== 'water-circles')
    .flatMap((walk) => Object.keys(FORBIDDEN).map((forbidden) => personalai(walk, forbidden))),
];

/** Mnemis §2.3: the cosines and BM25 of rows as they are, by their ranks. */
const SIMILARITY: System1Route = { ...SYSTEM1, fusion: 'ranks', reading: ALONE };
const READ_BY_LENGTH: System1Route = { ...SIMILARITY, reading: { ...ALONE, cosines: 'by-length' } };

/** Higher than any list. */
const NO_CUT = 100_000;
/** Mnemis §2.3 and Appendix E. A list that is too long for the model is halved. */
const SELECTION: System2Route = {
  ...SYSTEM2,
  walk: { beam: NO_CUT, skipTop: 0, together: 0 },
  llm: { shown: 'names+tags', listTokens: NO_CUT, shortlist: NO_CUT },
  weights: { enumerating: 1, other: 1, members: 1 },
  coverage: false,
  reading: ALONE,
};

/** What the papers do not have, and what a paper's recipe therefore leaves out. */
const AS_ASKED = { question: 'whole', validity: 'any' } as const;

const plain = (reading: ConversationReading): ConversationReading => ({ ...reading, cosines: 'plain' });
/** The readings of each kind of talk, for what calibrated cosines are worth. */
const PLAIN_COSINES: typeof READINGS = {
  people: plain(READINGS.people),
  group: plain(READINGS.group),
  assistant: plain(READINGS.assistant),
  notes: plain(READINGS.notes),
};

/** Recipes exactly as in the papers, and their ablations; `RECIPES` has the rest. */
export const PAPER_RECIPES: readonly Recipe[] = [
  recipe('system1-graph', 'system1 on entities and facts only; their source turns are ranked', {
    routes: [{ ...SYSTEM1, kinds: ['entity', 'fact'] }],
  }),
  recipe(
    'system1-paper',
    'the two lists with equal weight, each turn by itself, the question as it was asked, facts whenever they held (Mnemis §2.3)',
    { routes: [SIMILARITY], ...AS_ASKED },
  ),
  recipe('system1-paper-by-length', 'system1-paper whose cosines grow with the length of a turn', {
    routes: [READ_BY_LENGTH],
    ...AS_ASKED,
  }),
  recipe('system1-paper-cut', 'system1-paper without the names and times of the question', {
    routes: [SIMILARITY],
    ...AS_ASKED,
    question: 'cut',
  }),
  recipe('system1-paper-by-length-cut', 'system1-paper with both', {
    routes: [READ_BY_LENGTH],
    ...AS_ASKED,
    question: 'cut',
  }),
  recipe('system1-plain', 'system1 whose cosines are not calibrated', {
    routes: [{ ...SYSTEM1, reading: PLAIN_COSINES }],
  }),
  recipe('system1-whole', 'system1 for the question as it was asked', {
    routes: [SYSTEM1],
    question: 'whole',
  }),
  recipe(
    'mnemis-paper',
    'the best k, 2k and 2k of system1-paper, and all that a selection by names and tags leads to, reranked together (Mnemis §2.3)',
    {
      routes: [{ ...SIMILARITY, most: 'k' }, SELECTION],
      ...AS_ASKED,
      rankConstant: 0,
      depth: 1_000,
      rerank: 'all',
    },
  ),
  memorai('memorai-paper', 'ten seeds of each kind, relations alone as edges (MemORAI §3.3; its k is 3)'),
  memorai('memorai-uniform', 'memorai-paper with every edge weighted the same', { edgeWeights: 'uniform' }),
  memorai('memorai-full-graph', 'memorai-paper over everything in memory', { graph: 'full' }),
  memorai('memorai-directed', 'memorai-paper with rank that flows along the edges of the equations only', {
    edges: 'directed',
  }),
  gam('gam-paper', 'gam for the question as it was asked, each turn by itself, ten turns (GAM §3.4, §4.1)'),
  gam('gam-without-tan', 'gam-paper over the turns nearest to the question, without topics', {
    anchors: 'none',
  }),
  gam(
    'gam-without-epg',
    'gam-paper that ranks what was noted of topics, and gives the turns of the best ones',
    {
      candidates: 'summaries',
    },
  ),
  gam('gam-without-mfr', 'gam-paper that ranks turns by their cosine alone', { rerank: 'cosine' }),
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
  ...PERSONALAI,
];

/** A recipe of a paper, or one of `RECIPES`. @throws UnknownNameError, which lists the names. */
export function paperRecipeNamed(name: string): Recipe {
  const recipe = PAPER_RECIPES.find((candidate) => candidate.name === name);
  if (recipe !== undefined) return recipe;
  if (RECIPE_NAMES.includes(name)) return recipeNamed(name);
  const papers = PAPER_RECIPES.map((candidate) => candidate.name);
  throw new UnknownNameError('recipe', name, [...RECIPE_NAMES, ...papers]);
}

/** The 21 settings that the paper's tables print, exactly as it runs them. */
export const personalaiRecipes = (): readonly Recipe[] => PERSONALAI;

const FACTORS = [1, 1.2, 1.4, 1.6, 1.8, 2];
const SIZES = [5, 10, 15, 20, 30, 40];

/** The sensitivity studies of GAM (Appendix D): each factor alone from 1 to 2, and k from 5 to 40. */
export function gamSweeps(): readonly Recipe[] {
  const ofFactors = (['time', 'role', 'confidence'] as const).flatMap((factor) =>
    FACTORS.map((value) =>
      gam(
        `gam-${factor}-${value.toFixed(1).replace('.', '-')}`,
        `gam-paper with a ${factor} factor of ${value}`,
        {
          factors: { ...TOPICS.factors, [factor]: value },
        },
      ),
    ),
  );
  const ofSizes = SIZES.map((k) =>
    gam(`gam-k-${k}`, `gam-paper with ${k} topics, and ${k} turns found`, { topics: k, results: k }),
  );
  return [...ofFactors, ...ofSizes];
}

/** What `mnemis eval` lists. */
export const EVERY_RECIPE: readonly Recipe[] = [...RECIPES, ...PAPER_RECIPES];
