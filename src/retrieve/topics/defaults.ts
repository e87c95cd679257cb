import { z } from 'zod';
import { ALL_KINDS, commonRouteShape, countSchema, kindsSchema, weightSchema } from '../route-settings.ts';
import { type ConversationReading, IN_CONVERSATION, readingSchema } from '../similarity/defaults.ts';

/** What a factor may be: 1 switches it off. */
const factorSchema = z.number().min(1).max(10);

const factorsSchema = z.strictObject({ time: factorSchema, role: factorSchema, confidence: factorSchema });
/** How many times as much a turn counts when an indicator of equation 11 is 1. */
export type TopicFactors = z.output<typeof factorsSchema>;

/** Graph-guided multi-factor retrieval over topics (GAM §3.4, docs/papers.md §3.5). */
export const topicsSchema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('topics'),
  kinds: kindsSchema,
  /** `graph`: topics and their neighbours (equation 9); `none`: no topics, the nearest turns instead. */
  anchors: z.enum(['graph', 'none']),
  /** Topics that the question leads to; their neighbours come on top. */
  topics: countSchema,
  /** Nearest archived turns that are candidates where there are no anchors. */
  flatTurns: countSchema,
  /** What is ranked: the turns of topics (equation 10), or what was noted of each topic. */
  candidates: z.enum(['turns', 'summaries']),
  /** `factors`: equation 11; `cosine`: candidates by their cosine alone. */
  rerank: z.enum(['factors', 'cosine']),
  /** Candidates that a reranker reads, the nearest by cosine. */
  pairs: countSchema,
  factors: factorsSchema,
  /** Turns that it puts forward. Default: as many as the lists of the recipe are long. */
  results: countSchema.optional(),
  /** Weight of its lists in the fusion. */
  weight: weightSchema,
  /** How near a turn is to the question where no reranker says so. */
  reading: readingSchema,
});
export type TopicsRoute = z.output<typeof topicsSchema>;

/** Time and speakers have factors of their own here, and count once. */
const READING: ConversationReading = { ...IN_CONVERSATION, date: 0, namedSpeaker: 1, temporal: 1 };

/** The settings of the paper (GAM §4.1, Appendix D). */
export const TOPICS: TopicsRoute = {
  route: 'topics',
  kinds: ALL_KINDS,
  anchors: 'graph',
  topics: 10,
  flatTurns: 200,
  candidates: 'turns',
  rerank: 'factors',
  pairs: 512,
  factors: { time: 1.4, role: 1.4, confidence: 1.2 },
  weight: 1,
  reading: READING,
};
