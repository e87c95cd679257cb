import { z } from 'zod';

export const SEARCHED_KINDS = ['episode', 'entity', 'fact'] as const;
export type SearchedKind = (typeof SEARCHED_KINDS)[number];

export const kindsSchema = z.array(z.enum(SEARCHED_KINDS)).min(1).readonly();
export const ALL_KINDS: readonly SearchedKind[] = SEARCHED_KINDS;

export const weightSchema = z.number().min(0).max(1_000);
export const countSchema = z.number().int().min(1).max(100_000);
export const shareSchema = z.number().min(0).max(1);

/** The condition under which a route runs: what memory must contain, and what the question must ask. */
const conditionSchema = z.strictObject({
  /** `all`: the question asks for all there are of something; `one`: it does not. */
  asks: z.enum(['all', 'one']).optional(),
  /** Minimum number of rows of a kind. */
  holds: z
    .strictObject({
      categories: countSchema,
      segments: countSchema,
      facts: countSchema,
      entities: countSchema,
    })
    .partial()
    .optional(),
});
export type RouteCondition = z.output<typeof conditionSchema>;

/** Settings that every route has. */
export const commonRouteShape = {
  when: conditionSchema.optional(),
  /** The number of first places that the other routes fill without this one. Default 0. */
  below: countSchema.optional(),
};
