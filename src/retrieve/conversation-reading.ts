import { z } from 'zod';
import type { ConversationWeights } from '../search/conversation-weights.ts';

/** How a turn is read in its conversation: see `ConversationWeights`; the rest are signals on top of it. */
export interface ConversationReading extends ConversationWeights {
  /** A session on the asked date counts as this many matches of a term as rare as that date. */
  readonly date: number;
  /** Factor for turns by a speaker whom the question names, unless it names all. */
  readonly namedSpeaker: number;
  /** Factor for turns that end by asking. */
  readonly asking: number;
  /** Factor for turns that speak of a time, when the question asks for one. */
  readonly temporal: number;
}

/** A turn by itself, as in the papers. */
export const ALONE: ConversationReading = {
  k1: 1.2,
  b: 0.4,
  forward: [],
  backward: [],
  ownQuestion: 1,
  nextQuestion: 1,
  session: 0,
  sessionB: 0.5,
  date: 0,
  namedSpeaker: 1,
  asking: 1,
  temporal: 1,
};

export const IN_CONVERSATION: ConversationReading = {
  ...ALONE,
  forward: [0.4, 0.2],
  backward: [0.2, 0.1],
  ownQuestion: 0.5,
  nextQuestion: 2,
  session: 0.5,
  date: 3,
  namedSpeaker: 1.3,
  asking: 0.8,
  temporal: 1.3,
};

const weight = z.number().min(0).max(1_000);

export const readingSchema: z.ZodType<ConversationReading> = z.strictObject({
  k1: weight,
  b: z.number().min(0).max(1),
  forward: z.array(weight).max(10).readonly(),
  backward: z.array(weight).max(10).readonly(),
  ownQuestion: weight,
  nextQuestion: weight,
  session: weight,
  sessionB: z.number().min(0).max(1),
  date: weight,
  namedSpeaker: weight,
  asking: weight,
  temporal: weight,
});
