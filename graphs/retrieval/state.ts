import { ReducedValue, StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { SearchResult } from '../../src/model/retrieved-item.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import type { RunningSearch } from '../../src/retrieve/search.ts';

/** Keyed by the route's position in the recipe. */
const outcomes = z.record(z.string(), z.custom<RouteOutcome>());

/** The state of the retrieval graph: input is a question, output is evidence, a trace and an answer. */
export const RetrievalState = new StateSchema({
  /** The question. */
  question: z.string(),
  /** The scope to search. */
  scope: z.string().default('default'),
  /** Name of the recipe. */
  recipe: z.string().optional(),
  /** Number of episodes returned; entities and facts are twice as many. */
  k: z.number().int().min(1).max(100).optional(),
  /** Time limit per route in milliseconds, up to 2³¹ − 1; slower routes are left out. Default: none. */
  routeMilliseconds: z
    .number()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
  /** Whether to answer, not only return evidence. If true, ended facts may be evidence for questions about the past. */
  answers: z.boolean().default(true),

  /** Set by `plan`: the routes of the recipe, in order; one branch runs for each that is not skipped. */
  planned: z.array(z.string()).default([]),
  /** Set by the branches, each for its routes; null resets them. */
  outcomes: new ReducedValue(outcomes.default({}), {
    inputSchema: outcomes.nullable(),
    reducer: (known, come) => (come === null ? {} : { ...known, ...come }),
  }),
  /** Set by `fuse`: how each route ended and how candidates were reranked. */
  trace: z.unknown().optional(),
  /**
   * Set by `fuse`: ranked evidence. `text` is the line that a model reads, with the time, the speaker and a fact's
   * period of validity; a prompt must still fence it as data.
   */
  evidence: z
    .array(
      z.object({
        id: z.string(),
        kind: z.enum(['episode', 'entity', 'fact']),
        rank: z.number(),
        score: z.number(),
        text: z.string(),
      }),
    )
    .default([]),
  /** Set by `respond`: the answer with numbered citations, or a statement that memory does not contain enough. */
  answer: z
    .object({
      answered: z.boolean(),
      text: z.string(),
      citations: z.array(z.object({ number: z.number(), id: z.string(), quote: z.string() })),
    })
    .nullable()
    .default(null),

  /** The running search and its result; never checkpointed. */
  search: new UntrackedValue<RunningSearch>(undefined, { guard: false }),
  result: new UntrackedValue<SearchResult>(undefined, { guard: false }),
});
