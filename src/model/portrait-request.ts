import { z } from 'zod';

const entity = z.string().min(1).max(1_000);
const limit = z.number().int().min(1).max(1_000);

/** What every surface asks with; the app knows the user's name itself. */
export const portraitShape = { entity: entity.optional(), limit: limit.optional() };
export const portraitRequestSchema = z.strictObject({
  ...portraitShape,
  name: z.string().max(500).optional(),
});

/** Whose portrait. */
export interface PortraitRequest {
  /** Id or name of an entity. Default: the entity with the user's `name`, else the speaker of most of the user's turns. */
  readonly entity?: string | undefined;
  /** The user's name. */
  readonly name?: string | undefined;
  /** Number of facts that each section lists, 50 by default; the counts are of all facts. */
  readonly limit?: number | undefined;
}
