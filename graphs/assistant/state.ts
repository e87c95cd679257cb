import { MessagesValue, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

/** Where something in memory comes from, as a person would point at it. */
const source = z.object({ session: z.string(), index: z.number() });

const evidenceSchema = z.object({
  id: z.string(),
  kind: z.enum(['episode', 'entity', 'fact']),
  /** A line ready for a prompt; still to be fenced as data. */
  line: z.string(),
  sources: z.array(source),
});
export type Evidence = z.output<typeof evidenceSchema>;

const citationSchema = z.object({
  /** As in the answer's text: `[1]`. */
  number: z.number(),
  id: z.string(),
  quote: z.string(),
  sources: z.array(source),
});
export type AnswerCitation = z.output<typeof citationSchema>;

const rememberedSchema = z.object({
  decision: z.enum(['remembered', 'declined', 'private']),
  /** What became of each turn: those that were there already are `known`. */
  turns: z.array(z.object({ status: z.string(), id: z.string().optional(), reason: z.string().optional() })),
});

/**
 * The state of the assistant: a message goes in, an answer that cites memory comes out, and both become memory. It is
 * kept in checkpoints whole, so a thread's checkpoints hold the conversation, private turns included.
 */
export const AssistantState = new StateSchema({
  /** The conversation; the last one of a user is answered. */
  messages: MessagesValue,
  /** Whose memory is asked and written: one for all of a thread. */
  scope: z.string().default('default'),
  /** What the user is called in memory. */
  speaker: z.string().optional(),
  /** This one turn is answered from memory and does not become part of it. Used up by the run. */
  private: z.boolean().default(false),
  /** Whether a human is asked before something is remembered. Stays as it is for the thread. */
  confirm: z.boolean().default(false),
  /**
   * Whether an answer in memory's own words becomes memory, too. It holds nothing new, and would be found and cited as
   * if it bore itself out.
   */
  rememberQuotes: z.boolean().default(false),
  /** Tokens of evidence that the answer may be read from. */
  contextTokens: z.number().int().min(1).default(2_000),

  /** Filled by `recall`: the message in words, and when it was asked (milliseconds since 1970). */
  question: z.string().default(''),
  askedAt: z.number().default(0),
  isPrivate: z.boolean().default(false),
  /** Whose the thread is, from its first run on. */
  threadScope: z.string().nullable().default(null),
  /** Filled by `recall`, within the tokens. */
  evidence: z.array(evidenceSchema).default([]),

  /** Filled by `respond`. */
  answer: z.string().default(''),
  answeredAt: z.number().default(0),
  citations: z.array(citationSchema).default([]),
  /** Whether the answer is in memory's own words, not a model's. */
  isQuoted: z.boolean().default(false),

  /** Filled by `remember`; null until it is decided. */
  remembered: rememberedSchema.nullable().default(null),
});
