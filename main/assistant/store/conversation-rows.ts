import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { type LinePlace, readLines } from '../../../src/importers/read-lines.ts';
import { describeIssues } from '../../../src/util/describe-issues.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { appId, scope } from '../../contract/common.ts';
import { messageSchema } from '../../contract/conversations.ts';
import { IMAGE_TYPES } from '../jobs/attachment-kind.ts';

/** First line of the conversations in a copy. */
export const HEADER = { format: 'mnemis-conversations', version: 1 } as const;
const BEGIN = `{"format":"${HEADER.format}"`;
const LONGEST_LINE = 64 * 1024 * 1024;

const json = z.string().refine((text) => parseJson(text).ok, 'is not JSON');
const flag = z.union([z.literal(0), z.literal(1)]);
const turnSchema = z.object({ message: appId, episode: z.string().min(1) });

/** The rows of a copy by table, in the order of the file; columns of a later version are left out. */
const SCHEMAS = {
  folder: z.object({ id: appId, name: z.string(), scope, created_at: z.number() }),
  conversation: z.object({
    id: appId,
    title: z.string(),
    has_own_title: flag,
    scope,
    folder: appId.nullable(),
    is_pinned: flag,
    created_at: z.number(),
    updated_at: z.number(),
    draft: z.string(),
    leaf: appId.nullable(),
    session: z.string().min(1).nullable().default(null),
  }),
  message: z.object({
    id: appId,
    conversation: appId,
    parent: appId.nullable(),
    role: messageSchema.shape.role,
    text: z.string(),
    at: z.number(),
    // What was being written when the copy was made ends there.
    state: messageSchema.shape.state.transform((state) => (state === 'streaming' ? 'stopped' : state)),
    memory_key: z.string().min(1),
    details: json,
    why: json.nullable(),
  }),
  message_turn: turnSchema,
  attachment_turn: turnSchema,
  image: z.object({
    id: appId,
    scope,
    // Null: it was deleted, and memory keeps its turn.
    message: appId.nullable(),
    type: z.enum(IMAGE_TYPES),
    data: z.base64().transform((data): Uint8Array => Buffer.from(data, 'base64')),
  }),
} as const;
export type Table = keyof typeof SCHEMAS;
/** A message after its conversation and the message before it, and everything after what it names. */
export const TABLES = Object.keys(SCHEMAS) as Table[];

const lineSchema = z.union([
  z.strictObject({ table: z.enum(TABLES), row: z.looseObject({}) }),
  z.strictObject({ conversationRows: z.number() }),
]);

type RowOf<T extends Table> = z.output<(typeof SCHEMAS)[T]>;
/** The conversations of a backup or an export, by table. The bytes of images stay in the file: see `imageData`. */
export type ConversationRows = { readonly [T in Exclude<Table, 'image'>]: RowOf<T>[] } & {
  readonly image: (Omit<RowOf<'image'>, 'data'> & { readonly place: LinePlace })[];
};

const none = (): ConversationRows => ({
  ...{ folder: [], conversation: [], message: [], message_turn: [], attachment_turn: [], image: [] },
});

/**
 * Reads the conversations of a copy. What stands before their header, such as the rows of an export, is not read. A file
 * of an earlier version has none.
 *
 * @throws FileUnreadableError, which names the row that does not fit.
 */
export async function readConversationRows(path: string, named: string): Promise<ConversationRows> {
  const reading = new Reading(named);
  for await (const line of readLines(path, { maxBytes: LONGEST_LINE, regularOnly: true })) {
    const text = 'problem' in line ? '' : line.text;
    const place = 'problem' in line ? { start: 0, bytes: 0 } : line;
    if (reading.isBegun || text.startsWith(BEGIN)) reading.take(text, line.number, place);
  }
  return reading.end();
}

/** The bytes of an image of a copy. @throws FileUnreadableError if the file has changed since it was read */
export function imageData(path: string, { id, place }: ConversationRows['image'][number]): Uint8Array {
  const read = parseJson(textAt(path, place) ?? '');
  const { data } = z.object({ row: SCHEMAS.image }).safeParse(read.ok ? read.value : null);
  if (data?.row.id !== id) throw new FileUnreadableError(path, 'it was changed while it was read');
  return data.row.data;
}

/** Null where the file cannot be read any more. */
function textAt(path: string, { start, bytes }: LinePlace): string | null {
  const line = Buffer.alloc(bytes);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, line, 0, bytes, start);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
  return line.toString();
}

class Reading {
  readonly #path: string;
  readonly #rows = none();
  /** The conversation of each message. */
  readonly #messages = new Map<string, string>();
  readonly #known = { folder: new Set<string>(), conversation: new Set<string>() };
  #count = 0;
  #counted: number | null = null;
  isBegun = false;

  constructor(path: string) {
    this.#path = path;
  }

  take(text: string, line: number, place: LinePlace): void {
    const read = parseJson(text);
    const value = read.ok ? read.value : null;
    if (!this.isBegun) {
      const header = z.object({ format: z.literal(HEADER.format), version: z.literal(HEADER.version) });
      if (!header.safeParse(value).success) throw this.#error('its conversations are of a newer version');
      this.isBegun = true;
      return;
    }
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success || this.#counted !== null) throw this.#error(`line ${line} is damaged`);
    if ('conversationRows' in parsed.data) this.#counted = parsed.data.conversationRows;
    else this.#add(parsed.data, line, place);
  }

  end(): ConversationRows {
    const rows = this.#rows;
    if (this.isBegun && this.#counted !== this.#count) throw this.#error('its conversations are not whole');
    for (const { id, leaf } of rows.conversation)
      if (leaf !== null && this.#messages.get(leaf) !== id)
        throw this.#error(`the conversation ${id} ends with a message that it does not have`);
    return rows;
  }

  #add(
    { table, row }: { readonly table: Table; readonly row: object },
    line: number,
    { start, bytes }: LinePlace,
  ): void {
    const parsed = SCHEMAS[table].safeParse(row);
    const id = z.object({ id: appId }).safeParse(row);
    const name = `line ${line}, ${table.replace('_', ' ')}${id.success ? ` ${id.data.id}` : ''}`;
    if (!parsed.success) throw this.#error(`${name}: ${describeIssues(parsed.error)}`);
    const problem = this.#problemOf(table, parsed.data);
    if (problem !== null) throw this.#error(`${name}: ${problem}`);
    if ('data' in parsed.data) {
      const { data: _, ...image } = parsed.data;
      this.#rows.image.push({ ...image, place: { start, bytes } });
    } else (this.#rows[table] as object[]).push(parsed.data);
    this.#count++;
  }

  #problemOf(table: Table, row: object): string | null {
    if ('parent' in row) {
      const { id, conversation, parent } = row as ConversationRows['message'][number];
      if (!this.#known.conversation.has(conversation)) return 'its conversation does not stand before it';
      if (parent !== null && this.#messages.get(parent) !== conversation)
        return 'the message before it is no earlier one of its conversation';
      if (this.#messages.has(id)) return 'another message has its id';
      this.#messages.set(id, conversation);
    } else if ('message' in row)
      return row.message === null || this.#messages.has(String(row.message))
        ? null
        : 'its message does not stand before it';
    else if (table === 'folder' || table === 'conversation') {
      const { id } = row as ConversationRows['folder'][number];
      if (this.#known[table].has(id)) return `another ${table} has its id`;
      this.#known[table].add(id);
    }
    return null;
  }

  #error(reason: string): FileUnreadableError {
    return new FileUnreadableError(this.#path, reason);
  }
}
