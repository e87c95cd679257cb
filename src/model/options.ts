import { z } from 'zod';
import { timeInputSchema, timeText } from './time-input.ts';

/**
 * The options of the verbs, each with its one range and description. The engine, the contract, MCP, the agent tools,
 * LangChain, the graphs, the settings and the command line pick from here; a surface adds only what it alone has.
 */

/** Turns in a result, unless the call says a number. */
export const DEFAULT_K = 10;
/** Tokens of memory in what an agent gets of one search, unless its program says a number. */
export const AGENT_TOKENS = 2_000;
export const MOST_CONTEXT_TOKENS = 1_000_000;
/** The most that one result or one page may hold. */
export const MOST_RESULTS = 100;
export const MOST_PER_PAGE = 500;
/** Longer questions are rejected; the cost of a search grows with their words. */
export const LONGEST_QUERY = 10_000;
/** The maximum of setTimeout, about 25 days; with a longer delay it fires at once. */
const LONGEST_WAIT = 2 ** 31 - 1;

const name = z.string().min(1).max(500);
const query = z.string().max(LONGEST_QUERY, `is longer than ${LONGEST_QUERY} characters`);
const count = z.number().int().min(1);

/** Who does a piece of work: rules, or the language model. */
export const TIERS = ['local', 'llm'] as const;

/** Options that several verbs share. */
export const options = {
  scope: z.string().min(1).max(200).describe('Whose memory.'),
  query: query.describe('The question, or words to search for.'),
  k: count.max(MOST_RESULTS).describe('Turns in the result; entities and facts get twice as many.'),
  recipe: z.string().min(1).max(100).describe('Which routes run and how their lists are fused.'),
  filter: z
    .record(z.string(), z.unknown())
    .describe(
      'Conditions on turns: on their metadata, session, speaker, role, source, talk, at (time), and the kind of result.',
    ),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'The least relevance of a result, from 0 to 1; about 0.3 leaves out what has little to do with the question. Default 0.',
    ),
  routeMilliseconds: z
    .number()
    .min(0)
    .max(LONGEST_WAIT)
    .describe('Time limit of each route in milliseconds; slower routes are left out. Default: none.'),
  rewrite: z
    .boolean()
    .describe(
      'Whether to also search other wordings of the question, by one call of the language model. Default false.',
    ),
  asOf: timeInputSchema.describe('What held at this time, such as "2024-03-05". Default: the present.'),
  knownAt: timeInputSchema.describe('What memory knew at this time. Default: the present.'),
  tokenBudget: count
    .max(1e12)
    .describe('The most language model tokens that the work may use. Default: no limit.'),
  contextTokens: count.max(MOST_CONTEXT_TOKENS).describe('The most tokens of memory in a context.'),
  answerer: z.enum(TIERS).describe('Who answers: rules that quote memory, or the language model.'),
  threshold: z.number().min(0).max(1).describe('The local answerer abstains below it. Default 0.4.'),
  traced: z
    .boolean()
    .describe('Whether the answer reports what it was composed from, and how long it took. Default false.'),
  asker: z
    .string()
    .max(500)
    .describe('Who asks: "I" and "my" of the question. Default: the only speaker with the role user.'),
  earlier: z
    .array(query)
    .max(1_000)
    .describe('What the same person asked before, the oldest first; "And Lena?" continues the last.'),
  offset: z
    .number()
    .int()
    .min(-50_400_000)
    .max(50_400_000)
    .describe('How far the clock of the one who asks is ahead of UTC, in milliseconds. Default 0.'),
  session: name.describe('The conversation.'),
  turn: name.describe('Id of a turn.'),
  quotations: z
    .boolean()
    .describe('Whether to also forget turns that quote those of the target. Default false.'),
  pageLimit: count.max(MOST_PER_PAGE).describe('Entries on a page.'),
  confirmationMinutes: z
    .number()
    .positive()
    .max(10_000)
    .describe('Minutes for which a confirmation of forgetting is valid. Default 10.'),
} as const;

/** A time as JSON carries it: milliseconds since 1970, or text such as "2023-05-08". */
export const jsonTime = z.union([z.number(), timeText]);
export const lookBackShape = { asOf: jsonTime.optional(), knownAt: jsonTime.optional() };

const { k, recipe, routeMilliseconds, rewrite, filter, minScore, tokenBudget } = options;
/** How to search, as JSON carries it. */
export const searchShape = {
  k: k.optional(),
  recipe: recipe.optional(),
  routeMilliseconds: routeMilliseconds.optional(),
  rewrite: rewrite.optional(),
  filter: filter.optional(),
  minScore: minScore.optional(),
  tokenBudget: tokenBudget.optional(),
  ...lookBackShape,
};

const { answerer, threshold, traced, asker, earlier, offset } = options;
/** How to answer, besides how to search. */
export const answerShape = {
  answerer: answerer.optional(),
  threshold: threshold.optional(),
  traced: traced.optional(),
  asker: asker.optional(),
  earlier: earlier.optional(),
  offset: offset.optional(),
};
