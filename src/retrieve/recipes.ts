import { z } from 'zod';
import { InvalidInputError, UnknownNameError } from '../errors/index.ts';
import type { WalkSettings } from '../hierarchy/traverse/walk.ts';
import type { ConversationWeights } from '../search/conversation-weights.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { LOCAL_SELECTOR, type LocalSelectorOptions, SHOWN, type Shown } from './system2/settings.ts';
import { VALIDITIES, type Validity } from './validity.ts';

export type SearchedKind = 'episode' | 'entity' | 'fact';

/** How a turn is read in its conversation: see `ConversationWeights`; the rest are signals on top of it. */
export interface ConversationReading extends ConversationWeights {
  /** A session on the asked date counts as this many matches of a term as rare as that date. */
  readonly date: number;
  /** Factor for turns by a speaker whom the question names, unless it names all. */
  readonly namedSpeaker: number;
  /** Factor for turns that end by asking. */
  readonly asking: number;
  /** Factor for turns that speak of a time, when the question asks for one. */
  readonly temporal: number;
}

/** System-1 similarity search (Mnemis §2.3). */
export interface System1Route {
  readonly route: 'system1';
  readonly kinds: readonly SearchedKind[];
  /** Weights of the two lists in the fusion; 0 leaves one out. */
  readonly lists: { readonly lexical: number; readonly vector: number };
  readonly reading: ConversationReading;
}

export const SELECTORS = ['local', 'llm', 'auto'] as const;
/** `auto`: the language model where the memory has one, else `local`. */
export type SelectorChoice = (typeof SELECTORS)[number];

/** System-2 Global Selection (Mnemis §2.3): a walk down the category hierarchy. */
export interface System2Route {
  readonly route: 'system2';
  readonly kinds: readonly SearchedKind[];
  readonly selector: SelectorChoice;
  readonly walk: WalkSettings;
  readonly llm: {
    readonly shown: Shown;
    /** Tokens of one call's list. */
    readonly listTokens: number;
    /** Nodes of one list that a model is shown. */
    readonly shortlist: number;
  };
  readonly local: LocalSelectorOptions;
  /** Weights of its lists in the fusion, for questions that ask for all of something and for others. */
  readonly weights: { readonly enumerating: number; readonly other: number };
  /** Whether a question for all of something gets each entity's best turn before any entity's second. */
  readonly coverage: boolean;
  /** How near a turn is to the question. */
  readonly reading: ConversationReading;
}

export type Route = System1Route | System2Route;

/** A retrieval strategy as data: which routes run and how their lists become one. */
export interface Recipe {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly Route[];
  /** Constant of reciprocal rank fusion. */
  readonly rankConstant: number;
  /** Length of each ranked list; budgets cut only what is shown. */
  readonly depth: number;
  /** Whether facts that have ended are offered. Default `current`: they are not. */
  readonly validity?: Validity | undefined;
}

/** A turn by itself, as in the paper. */
const ALONE: ConversationReading = {
  k1: 1.2,
  b: 0.4,
  forward: [],
  backward: [],
  ownQuestion: 1,
  nextQuestion: 1,
  session: 0,
  sessionB: 0.5,
  date: 0,
  namedSpeaker: 1,
  asking: 1,
  temporal: 1,
};

const IN_CONVERSATION: ConversationReading = {
  ...ALONE,
  forward: [0.4, 0.2],
  backward: [0.2, 0.1],
  ownQuestion: 0.5,
  nextQuestion: 2,
  session: 0.5,
  date: 3,
  namedSpeaker: 1.3,
  asking: 0.8,
  temporal: 1.3,
};

/** Word vectors say little that words do not, so their list weighs a quarter (docs/results.md). */
const HYBRID = { lexical: 1, vector: 0.25 };

const ALL_KINDS: readonly SearchedKind[] = ['episode', 'entity', 'fact'];

function system1(
  name: string,
  description: string,
  { validity = 'current', ...route }: Partial<Omit<System1Route, 'route'>> & Pick<Recipe, 'validity'> = {},
): Recipe {
  return {
    name,
    description,
    routes: [{ route: 'system1', kinds: ALL_KINDS, lists: HYBRID, reading: IN_CONVERSATION, ...route }],
    rankConstant: 60,
    depth: 100,
    validity,
  };
}

/** One route of System-1's default. */
const SYSTEM1: System1Route = {
  route: 'system1',
  kinds: ALL_KINDS,
  lists: HYBRID,
  reading: IN_CONVERSATION,
};

const SYSTEM2: System2Route = {
  route: 'system2',
  kinds: ALL_KINDS,
  selector: 'auto',
  walk: { beam: 30, skipTop: 3, together: 60 },
  llm: { shown: 'names', listTokens: 3_000, shortlist: 300 },
  local: LOCAL_SELECTOR,
  weights: { enumerating: 0.15, other: 0.01 },
  coverage: true,
  reading: IN_CONVERSATION,
};

function withRoutes(name: string, description: string, routes: readonly Route[]): Recipe {
  return { name, description, routes, rankConstant: 60, depth: 100, validity: 'current' };
}

export const DEFAULT_RECIPE = 'system1';

export const RECIPES: readonly Recipe[] = [
  system1(
    'system1',
    'BM25 and vectors over episodes, entities and facts; a turn is read in its conversation',
  ),
  system1('system1-rag', 'system1 on episodes only', { kinds: ['episode'] }),
  system1('system1-graph', 'system1 on entities and facts only; their source turns are ranked', {
    kinds: ['entity', 'fact'],
  }),
  system1(
    'system1-balanced',
    'system1 with equal weight for vectors: for embedders that understand sentences',
    {
      lists: { lexical: 1, vector: 1 },
    },
  ),
  system1('system1-lexical', 'system1 without vectors', { lists: { lexical: 1, vector: 0 } }),
  system1('system1-vector', 'system1 without BM25', { lists: { lexical: 0, vector: 1 } }),
  system1(
    'system1-paper',
    'the two lists with equal weight, each turn by itself, facts whenever they held (Mnemis §2.3)',
    {
      lists: { lexical: 1, vector: 1 },
      reading: ALONE,
      validity: 'any',
    },
  ),
  withRoutes('system2', 'a walk down the category hierarchy, by the language model where there is one', [
    SYSTEM2,
  ]),
  withRoutes('system2-local', 'system2 without a language model', [{ ...SYSTEM2, selector: 'local' }]),
  withRoutes('mnemis', 'system1 and system2 together (Mnemis §2.3)', [SYSTEM1, SYSTEM2]),
  withRoutes('mnemis-local', 'mnemis without a language model', [SYSTEM1, { ...SYSTEM2, selector: 'local' }]),
];

const weight = z.number().min(0).max(1_000);
const readingSchema = z.strictObject({
  k1: weight,
  b: z.number().min(0).max(1),
  forward: z.array(weight).max(10).readonly(),
  backward: z.array(weight).max(10).readonly(),
  ownQuestion: weight,
  nextQuestion: weight,
  session: weight,
  sessionB: z.number().min(0).max(1),
  date: weight,
  namedSpeaker: weight,
  asking: weight,
  temporal: weight,
});
const kinds = z
  .array(z.enum(['episode', 'entity', 'fact']))
  .min(1)
  .readonly();
const count = z.number().int().min(1).max(100_000);
const share = z.number().min(0).max(1);
const system1Schema = z.strictObject({
  route: z.literal('system1'),
  kinds,
  lists: z.strictObject({ lexical: weight, vector: weight }),
  reading: readingSchema,
});
const system2Schema = z.strictObject({
  route: z.literal('system2'),
  kinds,
  selector: z.enum(SELECTORS),
  walk: z.strictObject({ beam: count, skipTop: count.or(z.literal(0)), together: count.or(z.literal(0)) }),
  llm: z.strictObject({ shown: z.enum(SHOWN), listTokens: count, shortlist: count }),
  local: z.strictObject({ categories: count, entities: count, least: share, leastOfAll: share }),
  weights: z.strictObject({ enumerating: weight, other: weight }),
  coverage: z.boolean(),
  reading: readingSchema,
});
const recipeSchema: z.ZodType<Recipe> = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().max(1_000),
  routes: z
    .array(z.discriminatedUnion('route', [system1Schema, system2Schema]))
    .min(1)
    .readonly(),
  rankConstant: z.number().min(0).max(1e6),
  depth: z.number().int().min(1).max(1_000),
  validity: z.enum(VALIDITIES).optional(),
});

/** A recipe by its name, or one of the caller's own, checked. */
export function recipeFrom(recipe: string | Recipe): Recipe {
  if (typeof recipe === 'string') return recipeNamed(recipe);
  const parsed = recipeSchema.safeParse(recipe);
  if (!parsed.success)
    throw new InvalidInputError(`The recipe is not valid: ${describeIssues(parsed.error)}`);
  return parsed.data;
}

export function recipeNamed(name: string): Recipe {
  const recipe = RECIPES.find((candidate) => candidate.name === name);
  if (recipe === undefined)
    throw new UnknownNameError(
      'recipe',
      name,
      RECIPES.map((candidate) => candidate.name),
    );
  return recipe;
}
