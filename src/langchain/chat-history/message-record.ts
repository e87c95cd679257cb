import { type BaseMessage, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import { z } from 'zod';
import { redactSecrets } from '../../ingest/admit/redact-secrets.ts';
import type { Attachment } from '../../model/nodes.ts';
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
function readRecord(text: string): MessageRecord | null {
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

/** Limits of an attachment's URI and of a turn's attachments; some attachments are reserved for the message's own. */
const PIECE = 1_900;
const MOST_PIECES = 80;
const PREFIX = 'data:application/json;mnemis=message,';
/** Characters kept of a text in a record that is too large. */
const LONGEST_KEPT = 500;

/**
 * Stores a record as attachments of its turn, so that it is kept, exported, forgotten and covered by the proof together
 * with the turn. They have no description, so search and models do not see them. Null for a record that is too large
 * even without its long texts.
 */
export function packRecord(record: MessageRecord, redacts: boolean): Attachment[] | null {
  const whole = redacts ? withoutSecrets(record) : record;
  return piecesOf(whole) ?? piecesOf(shortened({ ...whole, content: undefined }));
}

/** Null if there is none, or if it cannot be read. */
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
    // Keeps surrogate pairs together: half a pair cannot be stored.
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push({ kind: 'message', description: '', uri: PREFIX + text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** Values that JSON cannot represent. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Redacts keys, passwords and the like in each value. The engine redacts each attachment separately: it could miss a
 * secret that two share, or break the JSON.
 */
function withoutSecrets<T>(value: T, key = ''): T {
  return mapTexts(value, key, (text, name) => {
    // Some secrets are recognized by the word before them.
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

/** Returns a copy with each text replaced; `name` is the name of the nearest field. */
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
