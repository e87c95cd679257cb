import { type BaseMessage, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import { z } from 'zod';
import { parseJson } from '../../util/parse-json.ts';

const fields = z.record(z.string(), z.unknown());
/** Lenient: keeps fields of other LangChain versions. */
const recordSchema = z.looseObject({
  type: z.enum(['human', 'ai', 'system', 'tool', 'function', 'generic']),
  content: z.union([z.string(), z.array(fields)]).optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  role: z.string().optional(),
});

/** The parts of a message that its turn's text does not contain. Without `content`, the text is the content. */
export type MessageRecord = z.output<typeof recordSchema>;

const TYPES: readonly string[] = recordSchema.shape.type.options;

/** The fields of LangChain's message classes other than the content. */
const FIELDS = [
  ...['id', 'name', 'additional_kwargs', 'response_metadata'],
  ...['tool_calls', 'invalid_tool_calls', 'usage_metadata'],
  ...['tool_call_id', 'status', 'artifact', 'metadata', 'role'],
] as const;

/** Null for a message outside the conversation, such as LangGraph's RemoveMessage. */
export function recordOf(message: BaseMessage): MessageRecord | null {
  if (!TYPES.includes(message.type)) return null;
  const given = FIELDS.map((field) => [field, Reflect.get(message, field)] as const);
  return {
    type: message.type as MessageRecord['type'],
    ...(typeof message.content === 'string' ? {} : { content: message.content }),
    ...Object.fromEntries(given.filter(([, value]) => !isEmpty(value))),
  };
}

/** Null for text that is no record. */
export function readRecord(text: string): MessageRecord | null {
  const reading = parseJson(text);
  return reading.ok ? (recordSchema.safeParse(reading.value).data ?? null) : null;
}

/** Restores the message. */
export function messageFrom({ type, ...data }: MessageRecord, text: string): BaseMessage | null {
  const content = data.content ?? text;
  const needs = { tool: data.tool_call_id, function: data.name, generic: data.role } as const;
  if (type in needs && needs[type as keyof typeof needs] === undefined) return null;
  // LangChain's type of a stored message requires text as content; its constructors also accept blocks.
  const stored = { type, data: { ...data, content } } as unknown as Parameters<
    typeof mapStoredMessagesToChatMessages
  >[0][number];
  return mapStoredMessagesToChatMessages([stored])[0] ?? null;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
