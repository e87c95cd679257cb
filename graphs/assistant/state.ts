import { MessagesValue, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

/** The turn that an item of evidence comes from, as shown to a person. */
const source = z.object({ session: z.string(), index: z.number() });

const evidenceSchema = z.object({
  id: z.string(),
  kind: z.enum(['episode', 'entity', 'fact']),
  /** A line for a prompt, which must fence it as data. */
  line: z.string(),
  sources: z.array(source),
});
export type Evidence = z.output<typeof evidenceSchema>;

const citationSchema = z.object({
  /** As cited in the answer: `[1]`. */
  number: z.number(),
  id: z.string(),
  quote: z.string(),
  sources: z.array(source),
});
export type AnswerCitation = z.output<typeof citationSchema>;

const rememberedSchema = z.object({
  decision: z.enum(['remembered', 'declined', 'private']),
  /** One outcome per turn; turns that were stored before are `known`. */
  turns: z.array(z.object({ status: z.string(), id: z.string().optional(), reason: z.string().optional() })),
});

/**
 * The state of the assistant: input is a message, output is an answer that cites memory, and both are remembered. The
 * whole state is checkpointed, so a thread's checkpoints contain the conversation, private turns included.
 */
export const AssistantState = new StateSchema({
  /** The conversation; the assistant answers the last user message. */
  messages: MessagesValue,
  /** The scope to search and write; it cannot change within a thread. */
  scope: z.string().default('default'),
  /** The user's name in memory. */
  speaker: z.string().optional(),
  /** Answer this turn from memory without remembering it. Reset by the run. */
  private: z.boolean().default(false),
  /** Whether a human confirms before something is remembered. Persists for the thread. */
  confirm: z.boolean().default(false),
  /**
   * Whether answers that only quote memory are remembered too. They contain nothing new, and would be found and cited
   * as evidence for themselves.
   */
  rememberQuotes: z.boolean().default(false),
  /** Token limit of the evidence for an answer. */
  contextTokens: z.number().int().min(1).default(2_000),

  /** Set by `recall`: the text of the message, and when it was asked (milliseconds since 1970). */
  question: z.string().default(''),
  askedAt: z.number().default(0),
  isPrivate: z.boolean().default(false),
  /** The scope of the thread, set by its first run. */
  threadScope: z.string().nullable().default(null),
  /** Set by `recall`, within the token limit. */
  evidence: z.array(evidenceSchema).default([]),

  /** Set by `respond`. */
  answer: z.string().default(''),
  answeredAt: z.number().default(0),
  citations: z.array(citationSchema).default([]),
  /** Whether the answer quotes memory instead of being written by a model. */
  isQuoted: z.boolean().default(false),

  /** Set by `remember`; null until then. */
  remembered: rememberedSchema.nullable().default(null),
});
