import { z } from 'zod';
import { ALL_KINDS, commonRouteShape, countSchema, kindsSchema, weightSchema } from '../route-settings.ts';
import { BY_WORDS_AROUND, type ConversationReading, readingSchema } from '../similarity/defaults.ts';

/** A factor; 1 disables it. */
const factorSchema = z.number().min(1).max(10);

const factorsSchema = z.strictObject({ time: factorSchema, role: factorSchema, confidence: factorSchema });
/** Factors that multiply a turn's score when the indicators of equation 11 are 1. */
export type TopicFactors = z.output<typeof factorsSchema>;

/** Graph-guided multi-factor retrieval over topics (GAM §3.4, docs/papers.md §3.5). */
export const topicsSchema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('topics'),
  kinds: kindsSchema,
  /** `graph`: topics and their neighbours (equation 9); `none`: no topics, the nearest turns instead. */
  anchors: z.enum(['graph', 'none']),
  /** Number of nearest topics; their neighbours are added to these. */
  topics: countSchema,
  /** Number of nearest archived turns that are candidates if there are no anchors. */
  flatTurns: countSchema,
  /** What is ranked: the turns of topics (equation 10), or topics by their summaries. */
  candidates: z.enum(['turns', 'summaries']),
  /** `factors`: equation 11; `cosine`: cosine alone. */
  rerank: z.enum(['factors', 'cosine']),
  /** Candidates that a reranker reads, nearest by cosine. */
  pairs: countSchema,
  factors: factorsSchema,
  /** Maximum of turns returned. Default: the depth of the recipe's lists. */
  results: countSchema.optional(),
  /** Weight of its lists in the fusion. */
  weight: weightSchema,
  /** How turns are scored without a reranker. */
  reading: readingSchema,
});
export type TopicsRoute = z.output<typeof topicsSchema>;

/** Time and speakers have factors of their own here, and must not count twice. */
const READING: ConversationReading = { ...BY_WORDS_AROUND, date: 0, namedSpeaker: 1, temporal: 1 };

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
