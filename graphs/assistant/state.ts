import type { BaseMessage } from '@langchain/core/messages';
import { type Messages, MessagesZodMeta, messagesStateReducer } from '@langchain/langgraph';
import { z } from 'zod';
import { reducedChannel, threadScope } from '../channels.ts';
import { searchShape } from '../retrieval/context.ts';
import { evidenceSchema } from '../retrieval/evidence.ts';

const count = z.number();
const text = z.string();

/** The context of the assistant, for the recipes that it may name. */
export function assistantContext(recipes?: readonly string[]) {
  return z.object({
    ...searchShape(recipes),
    speaker: text.optional().meta({ title: 'Speaker', description: 'The user’s name in memory.' }),
    confirm: z.boolean().optional().meta({
      title: 'Confirm',
      description: 'Whether a human confirms before something is remembered.',
      default: false,
    }),
    rememberQuotes: z.boolean().optional().meta({
      title: 'Remember quotes',
      description:
        'Whether answers that only quote memory are remembered too. They contain nothing new, and would be cited as evidence of themselves.',
      default: false,
    }),
    session: text.min(1).optional().meta({
      title: 'Session',
      description: 'Session of the remembered turns. Default: the thread.',
    }),
    recall: z.boolean().optional().meta({
      title: 'Recall',
      description: 'Whether memory is searched for the message. Without memory only a model can answer.',
      default: true,
    }),
  });
}

const settingsSchema = z
  .object({ ...assistantContext().shape, recipe: text.optional() })
  .omit({ scope: true });
export type AssistantSettings = z.output<typeof settingsSchema>;

const citationSchema = z.object({
  /** As cited in the answer: `[1]`. */
  number: count,
  id: text,
  quote: text,
  /** The turns that it comes from, as shown to a person. */
  sources: z.array(z.object({ session: text, index: count })),
});
export type AnswerCitation = z.output<typeof citationSchema>;

const rememberedSchema = z.object({
  decision: z.enum(['remembered', 'declined', 'private']),
  /** One outcome per turn; turns that were stored before are `known`. */
  turns: z.array(z.object({ status: text, id: text.optional(), reason: text.optional() })),
});

/** Messages are objects of LangChain, which no JSON schema describes: `z.custom` would leave Studio without any schema. */
const MESSAGES = {
  title: 'Messages',
  description: 'The conversation; the last message of the user is answered.',
};

/**
 * The state of the assistant: input is a message, output is an answer that cites memory, and both are remembered. A
 * thread's checkpoints contain the conversation, private turns included; evidence is kept as ids.
 */
export const AssistantState = z.object({
  messages: reducedChannel(z.array(z.unknown() as z.ZodType<BaseMessage, BaseMessage>).meta(MESSAGES), {
    ...MessagesZodMeta,
    reducer: {
      schema: (z.unknown() as z.ZodType<Messages, Messages>).meta(MESSAGES),
      fn: messagesStateReducer,
    },
    default: (): BaseMessage[] => [],
  }),
  private: z.boolean().optional().meta({
    title: 'Private',
    description: 'Answer this message from memory without remembering it. Reset by the run.',
  }),
  scope: threadScope,
  settings: settingsSchema.meta({ title: 'Settings', description: 'Set by "recall" from the context.' }),
  askedAt: count.meta({ title: 'Asked at', description: 'Milliseconds since 1970.' }),
  isPrivate: z.boolean().meta({ title: 'Is private', description: 'Whether this run remembers nothing.' }),
  evidence: evidenceSchema.meta({
    title: 'Evidence',
    description: 'The ends of the ids of what memory shows the model. Edit it in a fork to answer from less.',
  }),
  recalled: z.object({ sources: count, tokens: count, leftOut: count, first: z.array(text) }).meta({
    title: 'Recalled',
    description: 'How many sources and tokens the evidence has, and its first lines.',
  }),
  answeredAt: count.meta({ title: 'Answered at', description: 'Milliseconds since 1970.' }),
  citations: z
    .array(citationSchema)
    .meta({ title: 'Citations', description: 'The numbered sources of the last answer.' }),
  isQuoted: z.boolean().meta({
    title: 'Is quoted',
    description: 'Whether the answer quotes memory instead of being written by a model.',
  }),
  remembered: rememberedSchema
    .nullable()
    .meta({ title: 'Remembered', description: 'What became of both turns; null until then.' }),
});
