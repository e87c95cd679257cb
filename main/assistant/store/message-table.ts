import { z } from 'zod';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import type { SqliteFile, SqlRow } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { inBatches } from '../../../src/util/collections.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { messageSchema } from '../../contract/conversations.ts';
import { toolCallSchema } from '../../contract/tools.ts';
import type { Message } from '../../contract.ts';

const detailsSchema = messageSchema
  .pick({
    problem: true,
    failure: true,
    isPrivate: true,
    model: true,
    citations: true,
    attachments: true,
    remembered: true,
    usage: true,
  })
  .extend({
    /** Missing in rows of earlier versions. */
    calls: z.array(toolCallSchema).default([]),
    /** Ids of the turns of memory that this message became, in all versions. */
    own: z.array(z.string()).default([]),
  });

export type MessageDetails = z.output<typeof detailsSchema>;

export interface StoredMessage extends Message {
  /** Names its exchange in memory. */
  readonly memoryKey: string;
  readonly own: readonly string[];
}

export type MessagePatch = Partial<Pick<StoredMessage, 'text' | 'state' | 'at'> & MessageDetails> & {
  /** JSON; null removes it. */
  readonly why?: string | null;
};

export const NO_DETAILS: MessageDetails = {
  problem: null,
  isPrivate: false,
  model: null,
  citations: [],
  attachments: [],
  calls: [],
  remembered: null,
  usage: null,
  own: [],
};

const COLUMNS = 'id, conversation, parent, role, text, at, state, memory_key, details';
/** Values bound at once. */
const BATCH = 500;

/** The messages of a conversation do not lead to its first one. */
export class ConversationBrokenError extends defineError('conversation-broken', () => ({
  message:
    'The messages of this conversation do not form one branch up to its first message, as in a damaged file; nothing was changed. Restore it from a backup.',
})) {}

/** A message that a search found. */
export interface MessageFound extends Pick<Message, 'conversation' | 'role' | 'at' | 'text'> {
  readonly message: string;
  /** Of its conversation. */
  readonly title: string;
  readonly scope: string;
}

export class MessageTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  insert(message: StoredMessage): void {
    const { id, conversation, parent, role, text, at, state, memoryKey } = message;
    this.#file.run(`INSERT INTO message (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      ...[id, conversation, parent, role, text, at, state, memoryKey],
      JSON.stringify(detailsSchema.parse(message)),
    ]);
    this.#link(id, message);
  }

  find(id: string): StoredMessage | undefined {
    const [row] = this.#file.all(`SELECT ${COLUMNS} FROM message WHERE id = ?`, [id]);
    return row && storedMessageOf(row);
  }

  /** @throws InvalidInputError if there is none, or it belongs to another conversation. */
  get(id: string, conversation?: string): StoredMessage {
    const found = this.find(id);
    if (found === undefined || (conversation !== undefined && found.conversation !== conversation))
      throw new InvalidInputError('There is no message with this id in this conversation');
    return found;
  }

  /** All branches, oldest first. */
  of(conversation: string): StoredMessage[] {
    const known = new Map<string, MessageDetails>();
    return this.#file
      .all(`SELECT ${COLUMNS} FROM message WHERE conversation = ? ORDER BY rowid`, [conversation])
      .map((row) => storedMessageOf(row, known));
  }

  /**
   * The last messages of the branch that ends with this one, oldest first.
   *
   * @throws ConversationBrokenError where the branch goes round in a circle or leaves its conversation.
   */
  pathTo(id: string | null, most: number): StoredMessage[] {
    if (id === null) return [];
    const [all] = this.#file.all(
      'SELECT count(*) AS total FROM message WHERE conversation = (SELECT conversation FROM message WHERE id = ?)',
      [id],
    );
    const longest = Number(all?.total) + 1; // one more in a circle
    const rows = this.#file.all(
      `WITH RECURSIVE path(id, parent, conversation, depth) AS (
         SELECT id, parent, conversation, 0 FROM message WHERE id = ?
         UNION ALL
         SELECT message.id, message.parent, message.conversation, depth + 1 FROM message JOIN path
         ON message.id = path.parent AND message.conversation = path.conversation
         WHERE depth + 1 < ?
       )
       SELECT message.${COLUMNS.replaceAll(', ', ', message.')} FROM path JOIN message ON message.id = path.id
       ORDER BY depth DESC`,
      [id, Math.min(most, longest)],
    );
    const path = rows.map((row) => storedMessageOf(row));
    const isWhole = path.length >= most || path[0]?.parent == null;
    if (!isWhole || new Set(path.map((message) => message.id)).size < path.length)
      throw new ConversationBrokenError();
    return path;
  }

  update(id: string, { text, state, at, why, ...details }: MessagePatch): StoredMessage {
    const known = this.get(id);
    const next = { ...known, ...details, ...(state && { state }), ...(at && { at }) };
    this.#file.run('UPDATE message SET state = ?, at = ?, details = ? WHERE id = ?', [
      ...[next.state, next.at],
      ...[JSON.stringify(detailsSchema.parse(next)), id],
    ]);
    // The index of words is written only when the text changes.
    if (text !== undefined && text !== known.text)
      this.#file.run('UPDATE message SET text = ? WHERE id = ?', [text, id]);
    if (why !== undefined) this.#file.run('UPDATE message SET why = ? WHERE id = ?', [why, id]);
    this.#link(id, next);
    return this.get(id);
  }

  /** The stored JSON of `why`; null if there is none. */
  whyOf(id: string): string | null {
    const [row] = this.#file.all('SELECT why FROM message WHERE id = ?', [id]);
    return typeof row?.why === 'string' ? row.why : null;
  }

  /** Messages that became one of the turns, or cite it. */
  withTurns(episodes: readonly string[]): StoredMessage[] {
    const ids = new Set<string>();
    for (const batch of inBatches([...episodes], BATCH)) {
      const marks = batch.map(() => '?').join();
      for (const { message } of this.#file.all(
        `SELECT DISTINCT message FROM message_turn WHERE episode IN (${marks})`,
        batch,
      ))
        ids.add(String(message));
    }
    return [...ids].flatMap((id) => this.find(id) ?? []);
  }

  /** Ids of all turns that messages of the scope's conversations became or cite. */
  turnsIn(scope: string): string[] {
    return this.#file
      .all(
        `SELECT DISTINCT episode FROM message_turn JOIN message ON message.id = message_turn.message
         JOIN conversation ON conversation.id = message.conversation WHERE scope = ?`,
        [scope],
      )
      .map(({ episode }) => String(episode));
  }

  /** Ids of the turns that an exchange became, in all its versions. */
  turnsOf(conversation: string, memoryKey: string): string[] {
    return this.#versions(conversation, memoryKey).flatMap(({ own }) => own);
  }

  /** Ids of the turns that the answers of an exchange became. */
  answersOf(conversation: string, memoryKey: string): string[] {
    return this.#versions(conversation, memoryKey).flatMap(({ role, own }) =>
      role === 'assistant' ? own : [],
    );
  }

  #versions(conversation: string, memoryKey: string): StoredMessage[] {
    return this.#file
      .all(`SELECT ${COLUMNS} FROM message WHERE conversation = ? AND memory_key = ?`, [
        conversation,
        memoryKey,
      ])
      .map((row) => storedMessageOf(row));
  }

  unlink(id: string, episodes: readonly string[]): void {
    for (const episode of episodes)
      this.#file.run('DELETE FROM message_turn WHERE message = ? AND episode = ?', [id, episode]);
  }

  deleteOf(conversation: string): void {
    this.#file.run(
      'DELETE FROM message_turn WHERE message IN (SELECT id FROM message WHERE conversation = ?)',
      [conversation],
    );
    this.#file.run('DELETE FROM message WHERE conversation = ?', [conversation]);
  }

  /**
   * Messages with all words of the query, the best match first: in a row, else anywhere. The last word may be unfinished.
   * Private ones are left out.
   */
  search(query: string, limit: number): MessageFound[] {
    const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    if (words.length === 0) return [];
    const row = this.#match(`"${words.join(' ')}"*`, limit);
    const all =
      words.length === 1 ? [] : this.#match(`${words.map((word) => `"${word}"`).join(' ')}*`, limit);
    const known = new Set(row.map(({ message }) => message));
    return [...row, ...all.filter(({ message }) => !known.has(message))].slice(0, limit);
  }

  #match(match: string, limit: number): MessageFound[] {
    return this.#file
      .all(
        `SELECT message.id, message.conversation, message.role, message.at, message.text, conversation.title,
           conversation.scope
         FROM message_words JOIN message ON message.rowid = message_words.rowid
         JOIN conversation ON conversation.id = message.conversation
         WHERE message_words MATCH ? AND message.details NOT LIKE '%"isPrivate":true%'
         ORDER BY message_words.rank LIMIT ?`,
        [match, limit],
      )
      .map((row) => ({
        conversation: String(row.conversation),
        title: String(row.title),
        scope: String(row.scope),
        message: String(row.id),
        role: row.role === 'user' ? 'user' : 'assistant',
        at: Number(row.at),
        text: String(row.text),
      }));
  }

  #link(id: string, message: Linked): void {
    for (const episode of new Set(turnsIn(message)))
      this.#file.run('INSERT OR IGNORE INTO message_turn (message, episode) VALUES (?, ?)', [id, episode]);
  }
}

/**
 * A message of a row. A row whose details cannot be read, such as one of a newer version, still has its text.
 *
 * @param known Details that were read before, by their JSON: most messages have the same.
 */
function storedMessageOf(row: SqlRow, known: Map<string, MessageDetails> = new Map()): StoredMessage {
  const json = String(row.details);
  const details = known.get(json) ?? detailsOf(json);
  known.set(json, details);
  return {
    id: String(row.id),
    conversation: String(row.conversation),
    parent: row.parent === null ? null : String(row.parent),
    role: row.role === 'user' ? 'user' : 'assistant',
    text: String(row.text),
    at: Number(row.at),
    state: STATES.find((state) => state === row.state) ?? 'complete',
    memoryKey: String(row.memory_key),
    ...details,
  };
}

const STATES = messageSchema.shape.state.options;

/** The details of a row; none where they cannot be read. */
export function detailsOf(json: string): MessageDetails {
  const read = parseJson(json);
  const parsed = detailsSchema.safeParse(read.ok ? read.value : null);
  return parsed.success ? parsed.data : NO_DETAILS;
}

type Linked = Pick<StoredMessage, 'own' | 'citations'>;

export type Blanked = Partial<Pick<MessagePatch, 'text' | 'why' | 'calls' | 'attachments'>> &
  Pick<MessageDetails, 'own' | 'citations'> & { readonly state?: 'forgotten' };

/** The turns that a message became, and those that it cites. */
export function turnsIn({ own, citations }: Linked): string[] {
  return [...own, ...citations.flatMap(({ sources }) => sources.map(({ episode }) => episode))];
}

/**
 * What is left of a message whose turns are gone: one that became them, or cites no others, has no text and no images any
 * more.
 */
export function withoutTurns(
  { own, citations, attachments }: Linked & Pick<StoredMessage, 'attachments'>,
  gone: ReadonlySet<string>,
  isForgotten = false,
): Blanked {
  const left = citations.filter(({ sources }) => !sources.some(({ episode }) => gone.has(episode)));
  const restsOnThem = citations.length > 0 && left.length === 0;
  const rest = { citations: left, own: own.filter((id) => !gone.has(id)) };
  if (!isForgotten && !restsOnThem && !own.some((id) => gone.has(id))) return rest;
  const documents = attachments.filter(({ image }) => image === null);
  return {
    ...{ ...rest, text: '', state: 'forgotten', citations: [], calls: [], why: null },
    attachments: documents,
  };
}

export function messageOf({ memoryKey: _k, own: _o, ...message }: StoredMessage): Message {
  return message;
}
