import { z } from 'zod';
import { options } from './options.ts';
import { type TimeInput, timeInputSchema } from './time-input.ts';

/** What to forget: exactly one of these. */
export type ForgetTarget =
  /** One turn, in all its versions. */
  | { readonly episode: string }
  /** Several turns, as listed in a preview. */
  | { readonly episodes: readonly string[] }
  | { readonly session: string }
  /** Turns said from `after` (inclusive) to `before` (exclusive); one of the two is enough. */
  | { readonly before?: TimeInput | undefined; readonly after?: TimeInput | undefined }
  /** An entity by id or name: everything derived about it, and with `episodes` also every turn that mentions it. */
  | { readonly entity: string; readonly episodes?: boolean | undefined }
  /** The first turns that a search for the query finds. Check the preview first. */
  | { readonly query: string; readonly limit?: number | undefined }
  /** The whole scope. */
  | { readonly all: true };

/** The schema of each part, shared with tools and commands that give the parts other names. */
export const forgetParts = {
  turn: options.turn,
  session: options.session,
  entity: z.string().min(1).max(1_000),
  query: options.query.min(1),
  limit: options.k,
} as const;

const ONE_TARGET =
  'must have exactly one of episode, episodes, session, before and after, entity, query (with a limit from 1 to 100), all';

const { turn, session, entity, query, limit } = forgetParts;
const time = timeInputSchema.optional();

/** The forget target as the engine, its clients, agent tools and the command line parse it. */
export const forgetTargetSchema: z.ZodType<ForgetTarget, ForgetTarget> = z.union(
  [
    z.strictObject({ episode: turn }),
    z.strictObject({ episodes: z.array(turn).min(1).max(1_000_000) }),
    z.strictObject({ session }),
    z
      .strictObject({ before: time, after: time })
      .refine(({ before, after }) => before !== undefined || after !== undefined, { error: ONE_TARGET }),
    z.strictObject({ entity, episodes: z.boolean().optional() }),
    z.strictObject({ query, limit: limit.optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: ONE_TARGET },
);

/** Builds the one target from fields that may be undefined; null if they name none or more than one. */
export function oneForgetTarget(fields: Readonly<Record<string, unknown>>): ForgetTarget | null {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const parsed = forgetTargetSchema.safeParse(Object.fromEntries(given));
  return parsed.success ? parsed.data : null;
}
