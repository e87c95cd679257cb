import { z } from 'zod';
import {
  ALL_KINDS,
  commonRouteShape,
  countSchema,
  kindsSchema,
  shareSchema,
  weightSchema,
} from '../route-settings.ts';
import { BY_WORDS_AROUND, readingSchema } from '../similarity/defaults.ts';

/** What a model is shown of a node, beside its number. */
export const SHOWN = ['names', 'names+tags', 'names+tags+summary'] as const;
export type Shown = (typeof SHOWN)[number];

export const SELECTORS = ['local', 'llm', 'auto'] as const;
/** `auto`: the language model if the memory has one, else `local`. */
export type SelectorChoice = (typeof SELECTORS)[number];

const localSchema = z.strictObject({
  /** Maximum of picks from one list of categories. */
  categories: countSchema,
  /** Maximum of picks from one list of entities. */
  entities: countSchema,
  /** Share of the list's best score that a pick needs, from 0 to 1. */
  least: shareSchema,
  /** The same, if a question asks for all of something. */
  leastOfAll: shareSchema,
});
export type LocalSelectorOptions = z.output<typeof localSchema>;

/** System-2 Global Selection (Mnemis §2.3): a walk down the category hierarchy. */
export const system2Schema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('system2'),
  kinds: kindsSchema,
  selector: z.enum(SELECTORS),
  /** See `WalkSettings`. */
  walk: z.strictObject({
    beam: countSchema,
    skipTop: countSchema.or(z.literal(0)),
    together: countSchema.or(z.literal(0)),
  }),
  llm: z.strictObject({
    shown: z.enum(SHOWN),
    /** Tokens of the list in one call. */
    listTokens: countSchema,
    /** Maximum of nodes of one list that a model is shown. */
    shortlist: countSchema,
  }),
  local: localSchema,
  /**
   * Weights in the fusion: of the selection, for questions that ask for all of something and for others; and of the
   * members of whole categories, for questions that contain little beside the kind ("Which cities has Ann been to?").
   */
  weights: z.strictObject({ enumerating: weightSchema, other: weightSchema, members: weightSchema }),
  /** Whether a question for all of something gets each entity's best turn before any entity's second. */
  coverage: z.boolean(),
  /** How turns are scored. */
  reading: readingSchema,
});
export type System2Route = z.output<typeof system2Schema>;

export const LOCAL_SELECTOR: LocalSelectorOptions = {
  categories: 12,
  entities: 60,
  least: 0.5,
  leastOfAll: 0.3,
};

export const SYSTEM2: System2Route = {
  route: 'system2',
  kinds: ALL_KINDS,
  selector: 'auto',
  walk: { beam: 30, skipTop: 3, together: 60 },
  llm: { shown: 'names', listTokens: 3_000, shortlist: 300 },
  local: LOCAL_SELECTOR,
  weights: { enumerating: 0.12, other: 0.01, members: 1 },
  coverage: true,
  reading: BY_WORDS_AROUND,
};
