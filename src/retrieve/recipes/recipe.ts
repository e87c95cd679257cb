import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { system2Schema } from '../categories/defaults.ts';
import { RANK_CONSTANT } from '../fuse.ts';
import { pagerankSchema } from '../pagerank/defaults.ts';
import { system1Schema } from '../similarity/defaults.ts';
import { VALIDITIES } from '../time-view.ts';
import { topicsSchema } from '../topics/defaults.ts';
import { traversalSchema } from '../traversal/defaults.ts';

const routeSchema = z.discriminatedUnion('route', [
  system1Schema,
  system2Schema,
  pagerankSchema,
  topicsSchema,
  traversalSchema,
]);
/** A route with all its settings. */
export type Route = z.output<typeof routeSchema>;
export type RouteName = Route['route'];
export const ROUTE_NAMES: readonly RouteName[] = routeSchema.options.map(({ shape }) => shape.route.value);

const recipeSchema = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().max(1_000),
  routes: z.array(routeSchema).min(1).readonly(),
  /** Constant of reciprocal rank fusion. */
  rankConstant: z.number().min(0).max(1e6),
  /** Length of each ranked list; budgets only limit what is returned. */
  depth: z.number().int().min(1).max(1_000),
  /**
   * Candidates of each kind that a reranker reads together with the question; `all`: as many as the routes found.
   * Without a reranker, or without this setting, results keep the fused order.
   */
  rerank: z.number().int().min(1).max(1_000).or(z.literal('all')).optional(),
  /**
   * What of a question is embedded and searched. `whole`: all of it, as in the papers. Default `cut`: turns are searched
   * for all but its times and the names of speakers, which turns seldom contain, and also for other names of what it
   * names.
   */
  question: z.enum(['whole', 'cut']).optional(),
  /** Whether facts that have ended are eligible. Default `current`: they are not. */
  validity: z.enum(VALIDITIES).optional(),
});

/** A retrieval strategy as data: which routes run and how their lists are fused. */
export type Recipe = Readonly<z.output<typeof recipeSchema>>;

/** @throws InvalidInputError if it is not a valid recipe. */
export function parseRecipe(recipe: Recipe): Recipe {
  const parsed = recipeSchema.safeParse(recipe);
  if (!parsed.success)
    throw new InvalidInputError(`The recipe is not valid: ${describeIssues(parsed.error)}`);
  return parsed.data;
}

const DEFAULTS = { rankConstant: RANK_CONSTANT, depth: 100, validity: 'current' } as const;

/** A recipe that fuses the lists of routes by rank, with default settings otherwise. */
export function recipe(
  name: string,
  description: string,
  { routes, ...settings }: Pick<Recipe, 'routes'> & Partial<Recipe>,
): Recipe {
  return { name, description, routes, ...DEFAULTS, ...settings };
}
