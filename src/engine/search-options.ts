import { z } from 'zod';
import type { AnswerListener } from '../answer/given-answer.ts';
import type { CountTokens } from '../answer/prompt-block.ts';
import { InvalidInputError } from '../errors/index.ts';
import { contextFormSchema, depthOf } from '../model/context-form.ts';
import { answerShape, DEFAULT_K, options, searchShape } from '../model/options.ts';
import type { RetrievedEpisode } from '../model/retrieved-item.ts';
import type { Recipe } from '../retrieve/recipes/recipe.ts';
import type { FieldFilter } from '../search/field-filter.ts';
import type { LookBackOptions } from '../search/look-back.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { AskSettings } from './answer.ts';
import type { FlushOptions } from './call-options.ts';
import type { AskedIn } from './read-question.ts';

/**
 * How to search: recipe, number of results, filter, and time (`LookBackOptions`). `budget` applies to recipes that use
 * a language model; a route stopped by it is reported in `routes`, and the others continue.
 */
export interface SearchOptions extends FlushOptions, LookBackOptions {
  /** A recipe or its name. Default `auto`, which chooses by the question and by the content of memory. */
  readonly recipe?: string | Recipe | undefined;
  /** Episodes in the result, from 1 to 100; entities and facts get twice as many, `items` as many. Default 10. */
  readonly k?: number | undefined;
  /** The same as `k`, as stores and other memories call it. */
  readonly limit?: number | undefined;
  /**
   * Finds only turns whose fields pass, and what they support: by name a value, or conditions such as
   * `{ $in: ['a', 'b'] }` (`$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$nin`), all of which must hold; filters
   * are combined by `$and`, `$or` and `$not`. Fields are those of the metadata and `session`, `speaker`, `role`,
   * `source`, `talk`, `at` (the time; compared with any text of a time) and `kind` (of the result: `episode`, `fact` or
   * `entity`). A field that no turn of the scope has is refused.
   */
  readonly filter?: FieldFilter | undefined;
  /**
   * The least `relevance` of a result, from 0 to 1: about 0.3 leaves out what has little to do with the question, so that
   * nonsense finds nothing (docs/retrieval.md, "Relevance"). `ranked` still has all. Default 0.
   */
  readonly minScore?: number | undefined;
  /**
   * Time limit of each route and of the reranker per kind, in milliseconds; slower ones are left out and reported in
   * `routes` or `reranked`. At most 2³¹ − 1. Default: no limit.
   */
  readonly routeMilliseconds?: number | undefined;
  /**
   * Whether to also search other wordings of the question, which the language model writes in one call and without any
   * text of memory; `rewritten` of the result reports it. The wordings of a question are kept. A model that fails or
   * needs longer than `routeMilliseconds`, at most 10 seconds, leaves the plain question. Default false.
   */
  readonly rewrite?: boolean | undefined;
  /**
   * Whether to read the newest commit of all processes first, where several share the memory; it costs a query. Without,
   * a search sees what this process has read, mostly milliseconds old. Default false.
   */
  readonly consistent?: boolean | undefined;
}

/**
 * As for `search`, and who answers: the language model if one is configured, unless `answerer` is `local`, which
 * quotes memory and abstains below `threshold` (from 0 to 1, 0.4 by default). `asker`, `earlier` and `offset` are the
 * conversation in which the question is read: "my" is the asker's, "And Lena?" continues the earlier question, and
 * "today" is a day of the asker's clock. With `traced` the
 * answer reports what it was composed from, and how long it took. With a counted `contextForm` a model reads so many items of
 * each kind, as in the papers, instead of 4,000 tokens of the best.
 */
export interface AskOptions
  extends SearchOptions,
    AskedIn,
    Pick<AskSettings, 'answerer' | 'threshold' | 'traced' | 'onContext' | 'contextForm'> {}

/**
 * As for `search`, and the conversation in which the question is read. With `k` the block has at most so many turns;
 * by default, as many as fit into `tokens`.
 */
export interface PromptBlockOptions extends SearchOptions, AskedIn, Pick<AskSettings, 'contextForm'> {
  /** The most tokens of the block. Default 4,000. */
  readonly tokens?: number | undefined;
  /** Counts them. Default: as the language model of memory does, or an estimate that tends to be too high. */
  readonly countTokens?: CountTokens | undefined;
  /** Turns that the prompt has already: they are left out, and facts that come from them alone. */
  readonly isInPrompt?: ((turn: RetrievedEpisode) => boolean) | undefined;
}

/** A search or an answer inside the engine. */
export interface QuestionOptions extends AskOptions, PromptBlockOptions, Pick<AnswerListener, 'onFound'> {
  /** The most tokens of memory that an answer is composed from. */
  readonly contextTokens?: number | undefined;
}

const anything = z.unknown().optional();
const { tokenBudget: _, ...sharedShape } = searchShape;
const optionsShape = {
  ...sharedShape,
  ...answerShape,
  limit: searchShape.k,
  consistent: z.boolean().optional(),
  // Checked where they are used.
  recipe: anything,
  asOf: anything,
  knownAt: anything,
  budget: anything,
  signal: anything,
  onContext: anything,
  contextForm: contextFormSchema.optional(),
};
/** Of a block for a prompt. */
const blockShape = { tokens: options.contextTokens.optional(), countTokens: anything, isInPrompt: anything };
/** Given by the engine itself. */
const internalShape = { contextTokens: options.contextTokens.optional(), onFound: anything };
const querySchema = z
  .strictObject({ query: options.query, ...optionsShape, ...blockShape, ...internalShape })
  .refine(
    ({ k, limit }) => k === undefined || limit === undefined,
    'k and limit are the same; give one of them',
  );

/** The number of results that a valid search asks for. @throws InvalidInputError for anything else. */
export function readSearch(query: string, given: QuestionOptions): number {
  const parsed = querySchema.safeParse({ query, ...given });
  if (parsed.success) {
    const { k, limit, contextForm = 'filled' } = parsed.data;
    return k ?? limit ?? (contextForm === 'filled' ? DEFAULT_K : depthOf(contextForm));
  }
  const known = Object.keys(optionsShape);
  throw new InvalidInputError(
    `The search is not valid: ${describeIssues(parsed.error, known, { namesKeys: true })}`,
  );
}
