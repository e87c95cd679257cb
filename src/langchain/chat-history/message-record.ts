import { type BaseMessage, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import { z } from 'zod';
import { redactSecrets } from '../../ingest/admit/redact-secrets.ts';
import type { Attachment } from '../../model/nodes.ts';
import { parseJson } from '../../util/parse-json.ts';

const fields = z.record(z.string(), z.unknown());
/** Lenient: what other versions of LangChain put there stays there. */
const recordSchema = z.looseObject({
  type: z.enum(['human', 'ai', 'system', 'tool', 'function', 'generic']),
  content: z.union([z.string(), z.array(fields)]).optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  role: z.string().optional(),
});

/** All of a message that its turn's text does not say. Without `content` that text is its content. */
export type MessageRecord = z.output<typeof recordSchema>;

const TYPES: readonly string[] = recordSchema.shape.type.options;

/** What LangChain's classes of messages have besides their content. */
const FIELDS = [
  ...['id', 'name', 'additional_kwargs', 'response_metadata'],
  ...['tool_calls', 'invalid_tool_calls', 'usage_metadata'],
  ...['tool_call_id', 'status', 'artifact', 'metadata', 'role'],
] as const;

/** Null for a message that is none of a conversation, such as one that tells LangGraph to remove another. */
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
function readRecord(text: string): MessageRecord | null {
  const reading = parseJson(text);
  return reading.ok ? (recordSchema.safeParse(reading.value).data ?? null) : null;
}

/** The message anew. */
export function messageFrom({ type, ...data }: MessageRecord, text: string): BaseMessage | null {
  const content = data.content ?? text;
  const needs = { tool: data.tool_call_id, function: data.name, generic: data.role } as const;
  if (type in needs && needs[type as keyof typeof needs] === undefined) return null;
  // LangChain's type of what is stored says that content is a text; its constructors take blocks just as well.
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

/** What a URI of an attachment may have, and how many attachments a turn; some are left for the message's own. */
const PIECE = 1_900;
const MOST_PIECES = 80;
const PREFIX = 'data:application/json;mnemis=message,';
/** What is left of a text in a record that is too large. */
const LONGEST_KEPT = 500;

/**
 * A record as attachments of its turn, so that it is kept, found by the proof of forgetting, exported and forgotten with
 * it. They have no description: search and models see nothing of them. Null for a record that is too large even when
 * its long texts are left out.
 */
export function packRecord(record: MessageRecord, redacts: boolean): Attachment[] | null {
  const whole = redacts ? withoutSecrets(record) : record;
  return piecesOf(whole) ?? piecesOf(shortened({ ...whole, content: undefined }));
}

/** Null where there is none, or none that can be read. */
export function unpackRecord(attachments: readonly Attachment[]): MessageRecord | null {
  const pieces = attachments.flatMap(({ uri }) =>
    uri?.startsWith(PREFIX) ? [uri.slice(PREFIX.length)] : [],
  );
  return pieces.length === 0 ? null : readRecord(pieces.join(''));
}

function piecesOf(record: unknown): Attachment[] | null {
  const text = JSON.stringify(record, plain);
  if (text.length > PIECE * MOST_PIECES) return null;
  const pieces: Attachment[] = [];
  for (let at = 0; at < text.length; ) {
    // A pair of surrogates stays together: half a one cannot be stored.
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push({ kind: 'message', description: '', uri: PREFIX + text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** What JSON has no form for. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Keys, passwords and the like are blacked out value by value: the engine does it piece by piece, and might see half of
 * one, or break the JSON.
 */
function withoutSecrets<T>(value: T, key = ''): T {
  return mapTexts(value, key, (text, name) => {
    // Some are known by the word before them.
    const told = `${name}: `;
    const redacted = redactSecrets(told + text).text;
    return redacted.startsWith(told) ? redacted.slice(told.length) : redactSecrets(text).text;
  });
}

function shortened<T>(record: T): T {
  return mapTexts(record, '', (text) =>
    text.length <= LONGEST_KEPT ? text : `[${text.length} characters left out]`,
  );
}

/** A copy in which each text is another; `name` is the nearest field's. */
function mapTexts<T>(value: T, name: string, map: (text: string, name: string) => string): T {
  const mapped = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') return map(part, key);
    if (Array.isArray(part)) return part.map((each) => mapped(each, key));
    if (typeof part !== 'object' || part === null) return part;
    if (ArrayBuffer.isView(part)) return `[${part.byteLength} bytes left out]`;
    return Object.fromEntries(Object.entries(part).map(([field, each]) => [field, mapped(each, field)]));
  };
  return mapped(value, name) as T;
}
