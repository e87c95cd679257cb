import { z } from 'zod';
import { options } from '../../src/model/options.ts';
import type { RouteTrace, Vote } from '../../src/model/retrieved-item.ts';
import { appId, boundedCount } from './common.ts';
import { conversationSchema, messageSchema } from './conversations.ts';
import { call, reply, stream } from './method.ts';
import type { UsageItem } from './settings.ts';

const LONGEST_MESSAGE = 40_000;

/** How an answer is made, where it differs from the settings. */
const manner = {
  /** Neither recalls from memory nor remembers. */
  isPrivate: z.boolean().optional(),
  /** `local`: quote memory even if a model is set. */
  tier: options.answerer.optional(),
  /** A model of the configured endpoint. */
  model: z.string().min(1).max(200).optional(),
  recipe: options.recipe.optional(),
  /** Default: the preference `confirm`. */
  confirm: z.boolean().optional(),
};

/** A piece of evidence that was shown to whoever answered. */
export interface WhyItem {
  readonly kind: 'episode' | 'fact' | 'entity';
  readonly id: string;
  /** Its words now; null if it was forgotten. */
  readonly text: string | null;
  /** Of a turn. */
  readonly speaker: string | null;
  readonly at: number | null;
  readonly rank: number;
  readonly score: number;
  readonly votes: readonly Vote[];
  readonly sources: readonly { readonly episode: string; readonly session: string; readonly index: number }[];
  /** The number of its citation; null if the answer does not cite it. */
  readonly cited: number | null;
}

/** Why an answer says what it says. */
export interface Why {
  /** The scope that was searched. */
  readonly scope: string;
  readonly question: string;
  readonly recipe: string;
  readonly milliseconds: number;
  readonly routes: readonly RouteTrace[];
  readonly items: readonly WhyItem[];
  /** Tokens of the evidence. */
  readonly tokens: number;
  /** Evidence that had no room. */
  readonly leftOut: number;
  /** What the answer cost; null for one that was made before this was recorded. */
  readonly used: UsageItem | null;
}

const chatEvents = z.union([
  /** The message is stored. */
  z.object({
    type: z.literal('begun'),
    conversation: conversationSchema,
    question: messageSchema,
    answer: messageSchema,
  }),
  /** What memory shows to whoever answers: counts, and the beginnings of the first sources. */
  z.object({
    type: z.literal('recalled'),
    sources: z.number(),
    tokens: z.number(),
    first: z.array(z.string()),
  }),
  z.object({ type: z.literal('text'), text: z.string() }),
  /** The whole answer, which replaces the pieces; stored. */
  z.object({ type: z.literal('answer'), answer: messageSchema }),
  /** Last, after the exchange was remembered, or waits for `decide`. */
  z.object({ type: z.literal('done'), conversation: conversationSchema, answer: messageSchema }),
]);

export const chatMethods = {
  /**
   * Sends a message and streams its answer by the assistant graph. Ending the stream early stops the answer: what was
   * said so far is kept, and nothing of the exchange is remembered. A failure is kept in the answer's `problem`.
   */
  chat: stream(
    'writes',
    z.strictObject({
      conversation: appId,
      /** Id of the new message. */
      message: appId,
      text: z.string().trim().min(1).max(LONGEST_MESSAGE),
      /** The message before it; null: the first of the conversation. Default: the last one shown. */
      parent: appId.nullable().optional(),
      /** The message that this one is an edit of: memory replaces what it holds of that exchange. */
      replaces: appId.optional(),
      /** Uploads whose text goes into memory before the answer. */
      attachments: z.array(appId).max(20).optional(),
      ...manner,
    }),
    chatEvents,
  ),
  /** Another answer to a message, beside the earlier one. Memory keeps the newest. */
  regenerate: stream(
    'writes',
    z.strictObject({ conversation: appId, message: appId, ...manner }),
    chatEvents,
  ),
  /** Says what to remember of an exchange that waits. */
  decide: call(
    'writes',
    z.strictObject({
      /** Of the answer. */
      message: appId,
      decision: z.enum(['approve', 'decline', 'edit']),
      /** With `edit`: the texts to remember. */
      question: z.string().trim().min(1).max(LONGEST_MESSAGE).optional(),
      answer: z.string().trim().min(1).max(LONGEST_MESSAGE).optional(),
    }),
    messageSchema,
  ),
  /** Routes, scores and the category path of the evidence for an answer. */
  why: call(
    'reads',
    z.strictObject({ message: appId, limit: boundedCount(200).optional() }),
    reply<Why>(z.object({ recipe: z.string(), routes: z.array(z.object({})), items: z.array(z.object({})) })),
  ),
} as const;

export type ChatEvent = z.output<typeof chatEvents>;
