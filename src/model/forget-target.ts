import { z } from 'zod';
import { type TimeInput, timeInputSchema } from './time-input.ts';

/** What is to be forgotten: exactly one of these. */
export type ForgetTarget =
  /** A turn, in all its versions. */
  | { readonly episode: string }
  /** Such turns, as a preview lists them. */
  | { readonly episodes: readonly string[] }
  | { readonly session: string }
  /** Turns said from `after` on and before `before`, or one of the two. */
  | { readonly before?: TimeInput | undefined; readonly after?: TimeInput | undefined }
  /** By id or name: what is known of it, and with `episodes` every turn that mentions it. */
  | { readonly entity: string; readonly episodes?: boolean | undefined }
  /** The turns that a search for it finds first: look at the preview. */
  | { readonly query: string; readonly limit?: number | undefined }
  /** Everything. */
  | { readonly all: true };

/** The bounds of each part, which tools and commands that name the parts otherwise share. */
export const forgetParts = {
  turn: z.string().min(1).max(500),
  session: z.string().min(1).max(500),
  entity: z.string().min(1).max(1_000),
  query: z.string().min(1).max(10_000),
  limit: z.number().int().min(1).max(100),
} as const;

const { turn, session, entity, query, limit } = forgetParts;
const time = timeInputSchema.optional();

/** What is to be forgotten, as the engine, its clients, the tools of agents and the command line read it. */
export const forgetTargetSchema: z.ZodType<ForgetTarget, ForgetTarget> = z.union(
  [
    z.strictObject({ episode: turn }),
    z.strictObject({ episodes: z.array(turn).min(1).max(1_000_000) }),
    z.strictObject({ session }),
    z
      .strictObject({ before: time, after: time })
      .refine(({ before, after }) => before !== undefined || after !== undefined),
    z.strictObject({ entity, episodes: z.boolean().optional() }),
    z.strictObject({ query, limit: limit.optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  {
    error:
      'must have exactly one of episode, episodes, session, before and after, entity, query (with a limit from 1 to 100), all',
  },
);

/** The one target among fields that may be undefined; null where they name none, or more than one. */
export function oneForgetTarget(fields: Readonly<Record<string, unknown>>): ForgetTarget | null {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const parsed = forgetTargetSchema.safeParse(Object.fromEntries(given));
  return parsed.success ? parsed.data : null;
}
