import { z } from 'zod';
import { appId, atMilliseconds, boundedCount, errorReasonSchema, optionalScope, scope } from './common.ts';
import { call, stream } from './method.ts';
import { toolCallSchema } from './tools.ts';

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
  /** `image`, or how its text was read: `text`, `markdown`, `pdf`, `html` or `docx`. */
  kind: z.string(),
  bytes: z.number(),
  /** Of the text that memory took. */
  characters: z.number(),
  /** Of an image: by which `image` gives it; null for a document. */
  image: z.string().nullable().default(null),
  /** What the person or a model says that an image shows; empty: nobody said. */
  caption: z.string().default(''),
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
  /** The error by which it failed, where one is known. */
  failure: z.object({ code: z.string(), reason: errorReasonSchema.optional().catch(undefined) }).optional(),
  isPrivate: z.boolean(),
  /** Name of the model; null for an answer that quotes memory, and for a user's message. */
  model: z.string().nullable(),
  citations: z.array(citationSchema),
  attachments: z.array(attachmentSchema),
  /** Of tools, while it was written. */
  calls: z.array(toolCallSchema),
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
  /** The session of memory that it continues, such as that of an imported chat; null for a chat of the app. */
  session: z.string().nullable(),
  /** Whether it began privately: it is kept in the memory of the engine alone, and ends with it. */
  isPrivate: z.boolean(),
});

/** A conversation that memory took from elsewhere. */
const importedSchema = z.object({
  /** Of the conversation that continues it, or will. */
  conversation: z.string(),
  scope: z.string(),
  session: z.string(),
  /** The importer or program that stored it. */
  source: z.string(),
  title: z.string(),
  /** Number of its turns. */
  turns: z.number(),
  /** When its first and its last turn were said. */
  from: atMilliseconds,
  to: atMilliseconds,
});

/** A project: conversations that share a memory. */
export const folderSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The scope of its conversations. */
  scope: z.string(),
  conversations: z.number(),
});

/** What a search finds: `chat` and `message` of the app, what memory took from elsewhere, and what it knows. */
const foundKinds = ['chat', 'message', 'session', 'turn', 'fact', 'entity', 'category', 'file'] as const;

const foundSchema = z.object({
  kind: z.enum(foundKinds),
  id: z.string(),
  /**
   * 3: the words stand as they were typed, or a name begins with them; 2: it has all of them; 1: it has the rarer part
   * of them; 0: it is near in meaning.
   */
  fit: z.number(),
  /** On one line; matches are between U+0001 and U+0002. */
  text: z.string(),
  /** The title of the conversation that it is in; of a name, what it is. */
  where: z.string(),
  at: atMilliseconds.nullable(),
  scope: z.string(),
  speaker: z.string().nullable(),
  /** Of what memory took from elsewhere, and of a fact: its session, and the first turn of a fact. */
  session: z.string().nullable(),
  source: z.string().nullable(),
  episode: z.string().nullable(),
  /** Of a message or a turn: the id of its first image, by which `image` gives it. */
  image: z.string().nullable(),
  /** Of a chat of the app and its messages. */
  conversation: z.string().nullable(),
});

const deleteEvents = z.union([
  z.object({ type: z.literal('progress'), text: z.string() }),
  z.object({
    type: z.literal('done'),
    /** Turns that memory forgot. */
    forgotten: z.number(),
  }),
]);

const sessionName = z.string().min(1).max(1_000);

export const conversationMethods = {
  /** Conversations, pinned ones first, then the newest first. */
  conversations: call(
    'reads',
    z.strictObject({
      folder: appId.nullable().optional(),
      /** Only of these scopes: names, or their beginnings and a star. */
      scopes: z.array(z.string().min(1).max(200)).max(1_000).optional(),
      limit: boundedCount(500).optional(),
      /** Number of conversations to skip. */
      offset: z.number().int().min(0).optional(),
    }),
    z.object({ items: z.array(conversationSchema), total: z.number() }),
  ),
  /** One conversation with all its messages and branches, oldest first. */
  conversation: call(
    'reads',
    z.union([z.strictObject({ conversation: appId }), z.strictObject({ scope, session: sessionName })]),
    z.object({
      conversation: conversationSchema,
      messages: z.array(messageSchema),
      /** What it continues; null for a chat of the app, and where memory has forgotten all of it. */
      imported: importedSchema.nullable(),
    }),
  ),
  /**
   * Conversations that memory took from elsewhere, the latest first, and how many each source has. Those that are pinned,
   * in a project or continued are among `conversations` instead.
   */
  imported: call(
    'reads',
    z.strictObject({
      scope,
      source: z.string().max(1_000).optional(),
      limit: boundedCount(500).optional(),
      /** The `next` of the page before. */
      after: z.string().max(1_000).optional(),
    }),
    z.object({
      items: z.array(importedSchema),
      total: z.number(),
      next: z.string().nullable(),
      sources: z.array(z.object({ source: z.string(), sessions: z.number() })),
    }),
  ),
  /** Everything with the words of a query, the best match first. Where nothing has them, also what is near in meaning. */
  find: call(
    'reads',
    z.strictObject({
      query: z.string().max(1_000),
      /** Default: that of new chats, and those of the projects. */
      scope: optionalScope,
      kinds: z.array(z.enum(foundKinds)).min(1).max(foundKinds.length).optional(),
      limit: boundedCount(200).optional(),
    }),
    z.object({ hits: z.array(foundSchema) }),
  ),
  /** Changes what is given, and creates a conversation with a new id. The scope changes only while it has no messages. */
  saveConversation: call(
    'writes',
    z.strictObject({
      conversation: appId,
      title: z.string().trim().min(1).max(200).optional(),
      scope: optionalScope,
      /** With the scope, of a new one: the session of memory that it continues. */
      session: sessionName.optional(),
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
  /**
   * Moves a conversation into a project, or with null out of one. What was said in it goes from the memory that it was in
   * to that of the project. Refused where the other memory has forgotten some of it, or a person corrected what memory
   * learned of it.
   */
  moveConversation: call(
    'removes',
    z.strictObject({ conversation: appId, folder: appId.nullable() }),
    conversationSchema,
  ),
  /** The conversations of a scope as lines that `mnemis restore` reads after those of an export; `done` is last. */
  exportConversations: stream(
    'reads',
    z.strictObject({ scope }),
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('done'), lines: z.number() }),
    ]),
  ),
  /** One conversation as a document, in pieces; `done` is last. */
  exportConversation: stream(
    'reads',
    z.strictObject({ conversation: appId, format: z.enum(['markdown', 'json']) }),
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('done'), messages: z.number() }),
    ]),
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
export type Imported = z.output<typeof importedSchema>;
export type FoundHit = z.output<typeof foundSchema>;
