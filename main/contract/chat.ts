import { z } from 'zod';
import { options } from '../../src/model/options.ts';
import type { RouteTrace, Vote } from '../../src/model/retrieved-item.ts';
import { appId, boundedCount, scope } from './common.ts';
import { attachmentSchema, conversationSchema, messageSchema } from './conversations.ts';
import { call, reply, stream } from './method.ts';
import type { UsageItem } from './settings.ts';
import { toolCallSchema } from './tools.ts';

const LONGEST_MESSAGE = 40_000;
/** Of one file that goes with a message; of an image, which models take no larger. */
export const MOST_ATTACHMENT_BYTES = 25_000_000;
export const MOST_IMAGE_BYTES = 5_000_000;

/** How an answer is made, where it differs from the settings. */
const manner = {
  /** Neither recalls from memory nor remembers. */
  isPrivate: z.boolean().optional(),
  /** `local`: quote memory even if a model is set. */
  tier: options.answerer.optional(),
  /** A model of the configured endpoint. */
  model: z.string().min(1).max(200).optional(),
  recipe: options.recipe.optional(),
  /** Which tools may be used: memory's own alone, or also those of servers. Default: all. */
  tools: z.enum(['all', 'memory']).optional(),
  /** Who asks, as memory names them; empty: no name. Default: the preference `name`. */
  speaker: z.string().max(100).optional(),
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
  /** How much of the attached documents memory has; `share` from 0 to 1. */
  z.object({ type: z.literal('reading'), share: z.number() }),
  /** All calls of tools so far; stored. One may wait for `permitTool`. */
  z.object({ type: z.literal('calls'), calls: z.array(toolCallSchema) }),
  z.object({ type: z.literal('text'), text: z.string() }),
  /** The whole answer, which replaces the pieces; stored. */
  z.object({ type: z.literal('answer'), answer: messageSchema }),
  /** Last, after the exchange was remembered, or waits for `decide`. */
  z.object({ type: z.literal('done'), conversation: conversationSchema, answer: messageSchema }),
]);

export const chatMethods = {
  /**
   * Sends a message and streams its answer by the assistant graph. The answer goes on if the stream is ended after
   * `begun`, as by a page that is loaded again; `stopAnswer` stops it. A failure is kept in the answer's `problem`.
   */
  chat: stream(
    'writes',
    z.strictObject({
      conversation: appId,
      /** Of a new conversation. Default: that of the settings. */
      scope: scope.optional(),
      /** Id of the new message. */
      message: appId,
      text: z.string().trim().min(1).max(LONGEST_MESSAGE),
      /** The message before it; null: the first of the conversation. Default: the last one shown. */
      parent: appId.nullable().optional(),
      /** The message that this one is an edit of: memory replaces what it holds of that exchange. */
      replaces: appId.optional(),
      /** Uploads: text goes into memory before the answer, images with the message. */
      attachments: z.array(appId).max(20).optional(),
      /** What images show, in the words of the person, by their uploads. Default: a model that sees says it. */
      captions: z.record(appId, z.string().trim().max(1_000)).optional(),
      ...manner,
    }),
    chatEvents,
  ),
  /** Reads an upload as `chat` would, and stores nothing: fails for one that cannot be attached. */
  checkAttachment: call('reads', z.strictObject({ upload: appId }), attachmentSchema),
  /** Whether the answering model takes images: the configured one, or another of its endpoint. */
  seesImages: call(
    'reads',
    z.strictObject({ model: z.string().min(1).max(200).optional() }),
    z.object({ sees: z.boolean() }),
  ),
  /** The bytes of an image that a message, or a turn of memory, names; null: they were forgotten. */
  image: call(
    'reads',
    z.strictObject({ scope, image: appId }),
    z.object({
      image: z
        .object({
          /** Media type. */
          type: z.string(),
          /** Base64. */
          data: z.string(),
        })
        .nullable(),
    }),
  ),
  /**
   * Stops the answer that is being written in a conversation, if there is one: what was said so far is kept, and nothing
   * of the exchange is remembered.
   */
  stopAnswer: call('writes', z.strictObject({ conversation: appId }), z.object({ wasRunning: z.boolean() })),
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
