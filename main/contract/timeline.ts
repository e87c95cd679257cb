import { z } from 'zod';
import type { Supersession } from '../../src/browse/supersessions.ts';
import type { Timeline } from '../../src/browse/timeline.ts';
import { pageReply } from './browse.ts';
import { boundedCount, inScope, time } from './common.ts';
import { call, reply } from './method.ts';

const about = inScope.extend({
  /** By id, or by a name that no other entity has. */
  entity: z.string().min(1).max(1_000).optional(),
  /** A period begins at `from` and ends before `to`. */
  from: time.optional(),
  to: time.optional(),
});

const counts = { turns: z.number(), begun: z.number(), ended: z.number() };

const recipeSchema = z.object({
  /** As `search` and `ask` take it. */
  name: z.string(),
  description: z.string(),
  /** Other names of the same recipe. */
  aliases: z.array(z.string()),
  /** `general`: for everyday use. `papers`: as the papers describe it. `ablations`: variants that the papers compare. */
  group: z.enum(['general', 'papers', 'ablations']),
  routes: z.array(z.string()),
  /**
   * What it does with a language model during the search: nothing, ask it where one is configured, or need it, so that
   * a route finds nothing without one.
   */
  model: z.enum(['unused', 'used', 'needed']),
});
export type RecipeEntry = z.output<typeof recipeSchema>;

/** What memory learned when, and how answers changed with it. */
export const timelineMethods = {
  /** How much happened when, in equal parts of the calendar (UTC), apart from folded gaps. */
  timeline: call(
    'reads',
    about.extend({
      /** Default `held`: when facts held. `known`: when memory learned of it. */
      by: z.enum(['held', 'known']).optional(),
      /** Default `told`: while turns were said. `all`: also earlier and later times that they mention. */
      span: z.enum(['told', 'all']).optional(),
      unit: z.enum(['hour', 'day', 'week', 'month', 'year', 'decade', 'century']).optional(),
      /** The most parts. Default 200. */
      most: boundedCount(400).optional(),
      /** Default `kept`. `folded`: an empty time that is longer than all the rest takes one part. */
      gaps: z.enum(['kept', 'folded']).optional(),
    }),
    reply<Timeline>(
      z.object({
        first: z.number().nullable(),
        last: z.number().nullable(),
        unit: z.string(),
        buckets: z.array(
          z.object({ start: z.number(), end: z.number(), isGap: z.literal(true).optional(), ...counts }),
        ),
        before: z.object(counts),
        after: z.object(counts),
      }),
    ),
  ),
  /** Which fact superseded which, the latest first. */
  supersessions: call(
    'reads',
    about.extend({
      /** What the period and the order are about. Default `held`: since when the newer fact holds. */
      by: z.enum(['held', 'known']).optional(),
      limit: boundedCount(500).optional(),
      after: z.string().max(2_500).optional(),
    }),
    pageReply<Supersession>(),
  ),
  /** The recipes that `search` and `ask` know by name. */
  recipes: call(
    'reads',
    z.strictObject({}),
    z.object({
      items: z.array(recipeSchema),
      /** The recipe of a request that names none. */
      usual: z.string(),
    }),
  ),
} as const;

export type { Supersession, Timeline };
