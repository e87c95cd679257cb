import { z } from 'zod';
import type { ConversationWeights } from '../../search/conversation-index.ts';
import { BM25_OF_TURNS } from '../../search/lexical-index.ts';
import { TALKS, type Talk } from '../../search/talk.ts';
import { ALL_KINDS, commonRouteShape, kindsSchema, weightSchema } from '../route-settings.ts';

/** How turns are scored in their conversation: `ConversationWeights`, and further signals. */
export interface ConversationReading extends ConversationWeights {
  /**
   * A turn on the date in the question, or with a fact of that date, scores as this many matches of a term as rare as
   * the date, at most three quarters of the best match without it.
   */
  readonly date: number;
  /** The share of its best fact's cosine that is added to the cosine of a turn. */
  readonly facts: number;
  /** The share of what the cosine of its topic segment says that is added to the cosine of a turn. */
  readonly topicVector: number;
  /** Factor for turns by a speaker whom the question names, unless it names all. */
  readonly namedSpeaker: number;
  /** Factor for turns that end with a question. */
  readonly asking: number;
  /** Factor for turns that mention a time, when the question asks for one. */
  readonly temporal: number;
  /** Factor for turns with a name or a title, when the question asks for one. */
  readonly naming: number;
  /** Factor for turns of role `user`, unless the question is about what somebody else said ("What did you suggest?"). */
  readonly user: number;
  /**
   * What a cosine says. `plain`: itself, as in the papers. `by-length`: a positive one times the root of the turn's
   * length, right for sums of word vectors. `calibrated`: see `calibrate`. One for all readings of a route.
   */
  readonly cosines: 'plain' | 'by-length' | 'calibrated';
}

/** Scores each turn alone, as in the papers. */
export const ALONE: ConversationReading = {
  ...BM25_OF_TURNS,
  forward: [],
  backward: [],
  ownQuestion: 1,
  nextQuestion: 1,
  session: 0,
  topic: 0,
  date: 0,
  facts: 0,
  topicVector: 0,
  namedSpeaker: 1,
  asking: 1,
  temporal: 1,
  naming: 1,
  user: 1,
  cosines: 'plain',
};

/**
 * Also uses neighbouring turns, topic, session and facts; measured in
 * docs/decisions/2026-11-21-a-turn-in-its-conversation.md and docs/decisions/2026-11-24-topics-facts-and-dates.md.
 */
export const IN_CONVERSATION: ConversationReading = {
  ...ALONE,
  forward: [0.4, 0.2],
  backward: [0.2, 0.1],
  ownQuestion: 0.6,
  nextQuestion: 2.2,
  session: 0.7,
  topic: 0.4,
  date: 3,
  facts: 0.4,
  namedSpeaker: 1.25,
  asking: 0.8,
  temporal: 1.3,
  naming: 1.25,
  cosines: 'by-length',
};

const BETWEEN_PEOPLE: ConversationReading = { ...IN_CONVERSATION, topicVector: 0.7, cosines: 'calibrated' };

/**
 * How turns are read in each kind of talk. In a chat with an assistant nearly every turn of the person ends with a
 * question and is exactly what was said, and the long reply repeats its words; where the assistant asks, the answer is
 * the next turn; a note says nothing of the next.
 */
export const READINGS: Readonly<Record<Talk, ConversationReading>> = {
  people: BETWEEN_PEOPLE,
  group: BETWEEN_PEOPLE,
  assistant: {
    ...IN_CONVERSATION,
    b: 0.9,
    forward: [0.1, 0.1],
    backward: [0.3],
    ownQuestion: 1,
    nextQuestion: 4,
    topic: 0,
    facts: 0.6,
    topicVector: 0.7,
    asking: 1,
    temporal: 1,
    naming: 1,
    user: 1.25,
    cosines: 'calibrated',
  },
  notes: {
    ...IN_CONVERSATION,
    b: 0.75,
    forward: [],
    backward: [],
    ownQuestion: 1,
    nextQuestion: 1,
    session: 0,
    topic: 0,
    namedSpeaker: 2,
    asking: 1,
    cosines: 'calibrated',
  },
};

/** The same without topics, facts and names: for routes that follow the graph themselves, and for premises. */
export const BY_WORDS_AROUND: ConversationReading = { ...IN_CONVERSATION, topic: 0, facts: 0, naming: 1 };

export const readingSchema: z.ZodType<ConversationReading> = z.strictObject({
  k1: weightSchema,
  b: z.number().min(0).max(1),
  forward: z.array(weightSchema).max(10).readonly(),
  backward: z.array(weightSchema).max(10).readonly(),
  ownQuestion: weightSchema,
  nextQuestion: weightSchema,
  session: weightSchema,
  topic: weightSchema,
  sessionB: z.number().min(0).max(1),
  date: weightSchema,
  facts: weightSchema,
  topicVector: weightSchema,
  namedSpeaker: weightSchema,
  asking: weightSchema,
  temporal: weightSchema,
  naming: weightSchema,
  user: weightSchema,
  cosines: z.enum(['plain', 'by-length', 'calibrated']),
});

/** One reading for all turns, or one for each kind of talk. */
export type Readings = ConversationReading | Readonly<Record<Talk, ConversationReading>>;
const byTalk = Object.fromEntries(TALKS.map((talk) => [talk, readingSchema])) as Record<
  Talk,
  typeof readingSchema
>;
const readingsSchema: z.ZodType<Readings> = z.union([readingSchema, z.strictObject(byTalk)]);

/** System-1 similarity search (Mnemis §2.3). */
export const system1Schema = z.strictObject({
  ...commonRouteShape,
  route: z.literal('system1'),
  kinds: kindsSchema,
  /** Weights of words and vectors; 0 disables one. In a sum, vectors weigh this times what their embedder is worth. */
  lists: z.strictObject({ lexical: weightSchema, vector: weightSchema }),
  /** How words and vectors are put together: by their reciprocal ranks, as in the paper, or as one sum of scores. */
  fusion: z.enum(['ranks', 'sum']),
  reading: readingsSchema,
  /**
   * What of its fused lists is a result. `k`: the best k turns, 2k entities and 2k facts, as the paper truncates them
   * before it reranks them with those of System-2. Default: all.
   */
  most: z.literal('k').optional(),
});
export type System1Route = z.output<typeof system1Schema>;

export const SYSTEM1: System1Route = {
  route: 'system1',
  kinds: ALL_KINDS,
  lists: { lexical: 1, vector: 1 },
  fusion: 'sum',
  reading: READINGS,
};
