import { z } from 'zod';
import type { FactInput } from '../../src/model/fact-input.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

const LONGEST_QUERY = 10_000;
const LONGEST_TEXT = 10_000;
/** As many as one request may bring; a longer list comes in parts. */
export const MOST_TURNS = 20_000;
const MOST_IDS = 100_000;

const id = z.string().min(1).max(500);
/** Milliseconds since 1970, or text such as "2023-05-08". */
const time = z.union([z.number(), z.string().min(1).max(100)]);
const count = z.number().int().min(1);
/** Whose memory. */
const scope = z.string().min(1).max(200);
const inScope = z.strictObject({ scope });
const lookBack = { asOf: time.optional(), knownAt: time.optional() };
/** Each turn is judged by itself, so that one that is none does not keep the others out. */
const turns = z.array(z.custom<TurnInput>((value) => typeof value === 'object' && value !== null));
/** Judged one by one, as turns are. */
const facts = z.array(z.custom<FactInput>((value) => typeof value === 'object' && value !== null));
const text = z.string().max(LONGEST_TEXT);
const texts = z.array(text).max(100);
const ids = z.array(id).max(MOST_IDS);
/** Who wants a change, for the record. Default "user". */
const author = z.string().min(1).max(200).optional();
/** Tokens of the language model that the work may cost. */
const tokenBudget = count.max(1e12).optional();

const target = z.union(
  [
    z.strictObject({ episode: id }),
    z.strictObject({ episodes: ids.min(1) }),
    z.strictObject({ session: id }),
    z.strictObject({ before: time.optional(), after: time.optional() }),
    z.strictObject({ entity: z.string().min(1).max(1_000), episodes: z.boolean().optional() }),
    z.strictObject({ query: z.string().min(1).max(LONGEST_QUERY), limit: count.max(100).optional() }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: 'must name exactly one of episode, episodes, session, before and after, entity, query, all' },
);

/** Whether turns that quote those of the target go along. Default false. */
const quotations = z.boolean().optional();

/** By id, as all ids here. What a field may hold beyond that, the engine checks. */
const correction = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('edit-fact'),
    fact: id,
    patch: z.strictObject({
      statement: text.optional(),
      relation: text.optional(),
      validAt: time.optional(),
      /** Null: it has not ended. */
      invalidAt: time.nullable().optional(),
      confidence: z.number().optional(),
    }),
  }),
  z.strictObject({ kind: z.literal('reject-fact'), fact: id }),
  z.strictObject({ kind: z.literal('pin-fact'), fact: id }),
  z.strictObject({
    kind: z.literal('edit-profile'),
    entity: id,
    patch: z.strictObject({
      name: text.optional(),
      /** All of them, as the tags: others are taken away. */
      aliases: texts.optional(),
      summary: text.optional(),
      tags: texts.optional(),
    }),
  }),
  z.strictObject({ kind: z.literal('merge-entities'), keep: id, merged: id }),
  z.strictObject({
    kind: z.literal('split-entity'),
    entity: id,
    /** Of the one that is split off, with the turns that mention it and the facts about it. */
    name: text,
    episodes: ids.optional(),
    facts: ids.optional(),
  }),
  z.strictObject({ kind: z.literal('keep-apart'), entities: z.tuple([id, id]) }),
  z.strictObject({ kind: z.literal('undo'), correction: id }),
]);

const search = inScope.extend({
  query: z.string().max(LONGEST_QUERY),
  /** Episodes in the result; entities and facts get twice as many. */
  k: count.max(100).optional(),
  /** The name of a recipe. */
  recipe: z.string().min(1).max(100).optional(),
  routeMilliseconds: z.number().min(0).optional(),
  tokenBudget,
  ...lookBack,
});

export const inputs = {
  nothing: z.strictObject({}),
  inScope,
  stats: inScope.extend(lookBack),
  add: inScope.extend({ turns: turns.min(1).max(MOST_TURNS) }),
  addFacts: inScope.extend({ facts: facts.min(1).max(MOST_TURNS) }),
  import: inScope.extend({
    turns: turns.max(MOST_TURNS),
    /** Whether they are read for facts too. Default true. */
    enrich: z.boolean().optional(),
    tokenBudget,
  }),
  flush: inScope.extend({ tokenBudget }),
  resume: inScope.extend({ retry: z.boolean().optional(), tokenBudget }),
  search,
  ask: search.omit({ query: true }).extend({
    question: z.string().max(LONGEST_QUERY),
    answerer: z.enum(['local', 'llm']).optional(),
    threshold: z.number().min(0).max(1).optional(),
  }),
  tree: inScope.extend({
    /** A category by id or name; left out, everything from the top. */
    of: z.string().min(1).max(1_000).optional(),
    depth: z.number().int().min(0).optional(),
    limit: count.optional(),
    /** Whether the summaries of the categories come along. */
    summaries: z.boolean().optional(),
  }),
  organize: inScope.extend({ tokenBudget }),
  refreshSummaries: inScope.extend({
    /** Who writes them. Default `rules`: from those of the children, at no cost. */
    by: z.enum(['rules', 'model']).optional(),
    /** Whether those are written anew too that still tell what is below. Default false. */
    all: z.boolean().optional(),
    /** Share of the entities below that must have come or be told of otherwise since. Default 0; by a model 0.1. */
    least: z.number().min(0).max(1).optional(),
    tokenBudget,
  }),
  entity: inScope.extend({
    /** By id, or by a name of its own. */
    entity: z.string().min(1).max(1_000),
    limit: count.max(500).optional(),
    after: z.strictObject({ profiles: id.optional(), facts: id.optional() }).optional(),
  }),
  episodes: inScope.extend({ ids: z.array(id).min(1).max(1_000) }),
  fact: inScope.extend({ fact: id, limit: count.max(500).optional(), after: id.optional() }),
  changes: inScope.extend({
    /** What changed from then on comes first. */
    since: time.optional(),
    /** Whether changes to come are told too. Default true. */
    follow: z.boolean().optional(),
  }),
  previewForget: inScope.extend({ target, quotations }),
  forget: inScope.extend({ target, author, quotations }),
  correct: inScope.extend({ correction, author }),
  maintain: inScope.extend({
    /** How long turns are kept; null for no such rule. Default: that of the engine's settings. */
    retention: z
      .strictObject({
        turns: z.strictObject({ olderThan: z.string().max(100), keepFacts: z.boolean().optional() }),
      })
      .nullable()
      .optional(),
    /** Whether it is only told what would be done. Default false. */
    dryRun: z.boolean().optional(),
  }),
  corrections: inScope.extend({
    limit: count.max(500).optional(),
    /** The id of a correction: those that came before it. */
    before: id.optional(),
  }),
} as const;
