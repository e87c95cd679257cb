import { z } from 'zod';
import { IN_CONVERSATION, readingSchema } from '../conversation-reading.ts';
import { ALL_KINDS, commonRouteShape, kindsSchema, weightSchema } from '../route-settings.ts';

/** System-1 similarity search (Mnemis §2.3). */
export const system1Schema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('system1'),
  kinds: kindsSchema,
  /** Weights of the two lists in the fusion; 0 leaves one out. */
  lists: z.strictObject({ lexical: weightSchema, vector: weightSchema }),
  reading: readingSchema,
});
export type System1Route = z.output<typeof system1Schema>;

/** Word vectors say little that words do not, so their list weighs a quarter (docs/results.md). */
export const SYSTEM1: System1Route = {
  route: 'system1',
  kinds: ALL_KINDS,
  lists: { lexical: 1, vector: 0.25 },
  reading: IN_CONVERSATION,
};
