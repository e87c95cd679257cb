import { z } from 'zod';
import {
  authorSchema,
  correctionListingSchema,
  correctionSchema,
  rowId as id,
} from '../../src/model/correction-input.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import { forgetTargetSchema } from '../../src/model/forget-target.ts';
import { answerShape, lookBackShape, options, searchShape } from '../../src/model/options.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** The most items in one request; a longer list needs several requests. */
export const MOST_TURNS = 20_000;

const { scope } = options;
const inScope = z.strictObject({ scope });
/** Turns of an import are validated separately, so that an invalid one does not reject the others. */
const turns = z.array(z.custom<TurnInput>((value) => typeof value === 'object' && value !== null));
/** Each is validated separately, like turns. */
const facts = z.array(z.custom<FactInput>((value) => typeof value === 'object' && value !== null));
/** Who requests a change, for the log of changes. Default "user". */
const author = authorSchema.optional();
const tokenBudget = options.tokenBudget.optional();
const quotations = options.quotations.optional();
const pageLimit = options.pageLimit.optional();

export const inputs = {
  nothing: z.strictObject({}),
  inScope,
  stats: inScope.extend(lookBackShape),
  add: inScope.extend({ turns: turns.min(1).max(MOST_TURNS) }),
  addFacts: inScope.extend({ facts: facts.min(1).max(MOST_TURNS) }),
  import: inScope.extend({
    turns: turns.max(MOST_TURNS),
    /** Whether to read them for facts. Default true. */
    enrich: z.boolean().optional(),
    tokenBudget,
  }),
  flush: inScope.extend({ tokenBudget }),
  resume: inScope.extend({ retry: z.boolean().optional(), tokenBudget }),
  search: inScope.extend({ query: options.query, ...searchShape }),
  context: inScope.extend({
    question: options.query,
    tokens: options.contextTokens.optional(),
    ...searchShape,
    asker: answerShape.asker,
    earlier: answerShape.earlier,
    offset: answerShape.offset,
  }),
  ask: inScope.extend({ question: options.query, ...searchShape, ...answerShape }),
  tree: inScope.extend({
    /** A category, by id or name. Default: the top of the hierarchy. */
    of: z.string().min(1).max(1_000).optional(),
    depth: z.number().int().min(0).optional(),
    limit: z.number().int().min(1).optional(),
    /** Whether to include the summaries of the categories. */
    summaries: z.boolean().optional(),
  }),
  organize: inScope.extend({ tokenBudget }),
  refreshSummaries: inScope.extend({
    /** Who writes the summaries. Default `rules`: from those of the children, without model calls. */
    by: z.enum(['rules', 'model']).optional(),
    /** Whether to also write summaries that are up to date. Default false. */
    all: z.boolean().optional(),
    /**
     * Share of the entities below that must be new or changed since the summary was written. Default 0; by a model 0.1.
     */
    least: z.number().min(0).max(1).optional(),
    tokenBudget,
  }),
  entity: inScope.extend({
    /** By id, or by a name that no other entity has. */
    entity: z.string().min(1).max(1_000),
    limit: pageLimit,
    after: z.strictObject({ profiles: id.optional(), facts: id.optional() }).optional(),
  }),
  episodes: inScope.extend({ ids: z.array(id).min(1).max(1_000) }),
  fact: inScope.extend({ fact: id, limit: pageLimit, after: id.optional() }),
  changes: inScope.extend({
    /** Start with changes from this time on. */
    since: lookBackShape.asOf,
    /** Whether to continue with future changes. Default true. */
    follow: z.boolean().optional(),
  }),
  previewForget: inScope.extend({ target: forgetTargetSchema, quotations }),
  forget: inScope.extend({ target: forgetTargetSchema, author, quotations }),
  correct: inScope.extend({ correction: correctionSchema, author }),
  maintain: inScope.extend({
    /** How long to keep turns; null for no limit. Default: the engine's setting. */
    retention: z
      .strictObject({
        turns: z.strictObject({ olderThan: z.string().max(100), keepFacts: z.boolean().optional() }),
      })
      .nullable()
      .optional(),
    /** Whether to only report what would be done. Default false. */
    dryRun: z.boolean().optional(),
  }),
  backup: z.strictObject({
    /** Absolute path of the folder to create. */
    folder: z.string().min(1).max(4_096),
  }),
  corrections: correctionListingSchema.extend({ scope }),
} as const;
