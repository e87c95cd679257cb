import { z } from 'zod';
import { appId, atMilliseconds, boundedCount, optionalScope } from './common.ts';
import { call, stream } from './method.ts';

/** A turn that a citation quotes. */
const sourceSchema = z.object({ episode: z.string(), session: z.string(), index: z.number() });

export const citationSchema = z.object({
  /** As in the text: `[1]`. */
  number: z.number().int(),
  kind: z.enum(['episode', 'fact', 'entity']),
  id: z.string(),
  /** The words that support the answer. */
  quote: z.string(),
  sources: z.array(sourceSchema),
});

const usageSchema = z.object({
  calls: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
});

export const attachmentSchema = z.object({
  name: z.string(),
  /** `text`, `markdown` or `pdf`. */
  kind: z.string(),
  bytes: z.number(),
  /** Of the text that memory took. */
  characters: z.number(),
});

/** What became of an exchange in memory. */
export const rememberedSchema = z.object({
  /** `pending`: waits for `decide`. `none`: the answer ended before it was remembered. */
  decision: z.enum(['remembered', 'declined', 'private', 'pending', 'none']),
  /** Ids of the turns that memory stored. */
  turns: z.array(z.string()),
});

/**
 * A message of a conversation. Messages form a tree: siblings are branches, made by an edit of a message or by another
 * answer to it.
 */
export const messageSchema = z.object({
  id: z.string(),
  conversation: z.string(),
  /** The message before it; null for a first message. */
  parent: z.string().nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  at: atMilliseconds,
  /** `forgotten`: its text was removed with what memory forgot. */
  state: z.enum(['complete', 'streaming', 'stopped', 'failed', 'forgotten']),
  /** Why it failed, for people; null otherwise. */
  problem: z.string().nullable(),
  isPrivate: z.boolean(),
  /** Name of the model; null for an answer that quotes memory, and for a user's message. */
  model: z.string().nullable(),
  citations: z.array(citationSchema),
  attachments: z.array(attachmentSchema),
  /** Of an answer; null for a user's message. */
  remembered: rememberedSchema.nullable(),
  /** Of an answer; null for a user's message. */
  usage: usageSchema.nullable(),
});

export const conversationSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The scope that it recalls from and remembers into; fixed from its first message on. */
  scope: z.string(),
  folder: z.string().nullable(),
  isPinned: z.boolean(),
  createdAt: atMilliseconds,
  /** Of its last message. */
  updatedAt: atMilliseconds,
  messages: z.number(),
  /** Text that was typed and not sent. */
  draft: z.string(),
  /** The last message of the branch that is shown; null while it has no messages. */
  leaf: z.string().nullable(),
});

/** A project: conversations that share a memory. */
export const folderSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The scope of its conversations. */
  scope: z.string(),
  conversations: z.number(),
});

const hitSchema = z.object({
  conversation: z.string(),
  title: z.string(),
  message: z.string(),
  role: z.enum(['user', 'assistant']),
  at: atMilliseconds,
  /** Part of the text; matches are between U+0001 and U+0002. */
  snippet: z.string(),
});

const deleteEvents = z.union([
  z.object({ type: z.literal('progress'), text: z.string() }),
  z.object({
    type: z.literal('done'),
    /** Turns that memory forgot. */
    forgotten: z.number(),
  }),
]);

export const conversationMethods = {
  /** Conversations, pinned ones first, then the newest first. */
  conversations: call(
    'reads',
    z.strictObject({
      folder: appId.nullable().optional(),
      limit: boundedCount(500).optional(),
      /** Number of conversations to skip. */
      offset: z.number().int().min(0).optional(),
    }),
    z.object({ items: z.array(conversationSchema), total: z.number() }),
  ),
  /** One conversation with all its messages and branches, oldest first. */
  conversation: call(
    'reads',
    z.strictObject({ conversation: appId }),
    z.object({ conversation: conversationSchema, messages: z.array(messageSchema) }),
  ),
  /** Messages with the words of the query, the best match first. */
  searchConversations: call(
    'reads',
    z.strictObject({ query: z.string().max(1_000), limit: boundedCount(100).optional() }),
    z.object({ hits: z.array(hitSchema) }),
  ),
  /** Changes what is given, and creates a conversation with a new id. The scope changes only while it has no messages. */
  saveConversation: call(
    'writes',
    z.strictObject({
      conversation: appId,
      title: z.string().trim().min(1).max(200).optional(),
      scope: optionalScope,
      folder: appId.nullable().optional(),
      isPinned: z.boolean().optional(),
      draft: z.string().max(100_000).optional(),
      leaf: appId.optional(),
    }),
    conversationSchema,
  ),
  /**
   * Deletes a conversation. Memory keeps what it learned from it, or with `memory: 'forget'` forgets its turns; `done`
   * is last.
   */
  deleteConversation: stream(
    'removes',
    z.strictObject({ conversation: appId, memory: z.enum(['keep', 'forget']) }),
    deleteEvents,
  ),
  folders: call('reads', z.strictObject({}), z.object({ items: z.array(folderSchema) })),
  /** Creates a folder with a new id, or renames one. The scope is fixed at creation; default: one of its own. */
  saveFolder: call(
    'writes',
    z.strictObject({ folder: appId, name: z.string().trim().min(1).max(100), scope: optionalScope }),
    folderSchema,
  ),
  /** Its conversations stay, in no folder. */
  deleteFolder: call('writes', z.strictObject({ folder: appId }), z.object({ folder: z.string() })),
} as const;

export type Message = z.output<typeof messageSchema>;
export type Conversation = z.output<typeof conversationSchema>;
export type Folder = z.output<typeof folderSchema>;
export type MessageCitation = z.output<typeof citationSchema>;
export type ConversationHit = z.output<typeof hitSchema>;
