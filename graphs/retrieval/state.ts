import { ReducedValue, StateSchema, UntrackedValue } from '@langchain/langgraph';
import { z } from 'zod';
import type { SearchResult } from '../../src/model/retrieved-item.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import type { RunningSearch } from '../../src/retrieve/search.ts';

/** By the place of the route in the recipe. */
const outcomes = z.record(z.string(), z.custom<RouteOutcome>());

/** The state of the retrieval graph: a question goes in, evidence, a trace and an answer come out. */
export const RetrievalState = new StateSchema({
  /** What is asked. */
  question: z.string(),
  /** Whose memory is asked. */
  scope: z.string().default('default'),
  /** Which recipe searches. */
  recipe: z.string().optional(),
  /** Episodes that come out; entities and facts are twice as many. */
  k: z.number().int().min(1).max(100).optional(),
  /** How long each route may take, up to 2³¹ − 1; a slower one is left out. Without it, as long as it takes. */
  routeMilliseconds: z
    .number()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
  /** Whether an answer is wanted, beside the evidence; only then may facts that have ended be evidence of the past. */
  answers: z.boolean().default(true),

  /** Filled by `plan`: the routes of the recipe, in its order; a branch runs for each that is not skipped. */
  planned: z.array(z.string()).default([]),
  /** Filled by the branches, each for its routes; null begins anew. */
  outcomes: new ReducedValue(outcomes.default({}), {
    inputSchema: outcomes.nullable(),
    reducer: (known, come) => (come === null ? {} : { ...known, ...come }),
  }),
  /** Filled by `fuse`: what became of each route, and how candidates were reranked. */
  trace: z.unknown().optional(),
  /**
   * Filled by `fuse`: ranked evidence. The text is the line that a model reads of it, with the time, the speaker and from
   * when to when a fact held; a prompt still has to fence it as data.
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
  /** Filled by `respond`: the answer with its numbered citations, or that memory does not hold enough. */
  answer: z
    .object({
      answered: z.boolean(),
      text: z.string(),
      citations: z.array(z.object({ number: z.number(), id: z.string(), quote: z.string() })),
    })
    .nullable()
    .default(null),

  /** The search under way, and what it found: in no checkpoint. */
  search: new UntrackedValue<RunningSearch>(undefined, { guard: false }),
  result: new UntrackedValue<SearchResult>(undefined, { guard: false }),
});
