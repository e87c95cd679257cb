import { z } from 'zod';
import { InvalidInputError, UnknownNameError } from '../errors/index.ts';
import type { ConversationWeights } from '../search/conversation-weights.ts';
import { describeIssues } from '../util/describe-issues.ts';
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

/** A retrieval strategy as data: which routes run and how their lists become one. */
export interface Recipe {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly System1Route[];
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
const recipeSchema: z.ZodType<Recipe> = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().max(1_000),
  routes: z
    .array(
      z.strictObject({
        route: z.literal('system1'),
        kinds: z
          .array(z.enum(['episode', 'entity', 'fact']))
          .min(1)
          .readonly(),
        lists: z.strictObject({ lexical: weight, vector: weight }),
        reading: readingSchema,
      }),
    )
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
