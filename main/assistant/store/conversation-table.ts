import { InvalidInputError } from '../../../src/errors/index.ts';
import type { SqliteFile, SqlRow, SqlValue } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import type { Conversation } from '../../contract.ts';

export interface ConversationPatch {
  readonly title?: string | undefined;
  readonly hasOwnTitle?: boolean | undefined;
  readonly scope?: string | undefined;
  readonly folder?: string | null | undefined;
  readonly isPinned?: boolean | undefined;
  readonly updatedAt?: number | undefined;
  readonly draft?: string | undefined;
  readonly leaf?: string | null | undefined;
}

export interface ConversationFilter {
  readonly folder?: string | null | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const COLUMNS: Readonly<Record<keyof ConversationPatch, string>> = {
  title: 'title',
  hasOwnTitle: 'has_own_title',
  scope: 'scope',
  folder: 'folder',
  isPinned: 'is_pinned',
  updatedAt: 'updated_at',
  draft: 'draft',
  leaf: 'leaf',
};
const ROWS = `SELECT *, (SELECT count(*) FROM message WHERE message.conversation = conversation.id) AS messages
  FROM conversation`;
const DEFAULT_LIMIT = 100;

/** The rows of conversations, without their messages. */
export class ConversationTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Undefined if there is none with this id. */
  find(id: string): Conversation | undefined {
    const [row] = this.#file.all(`${ROWS} WHERE id = ?`, [id]);
    return row && conversationOf(row);
  }

  hasOwnTitle(id: string): boolean {
    const [row] = this.#file.all('SELECT has_own_title FROM conversation WHERE id = ?', [id]);
    return Number(row?.has_own_title) === 1;
  }

  /** @throws InvalidInputError */
  get(id: string): Conversation {
    const found = this.find(id);
    if (found === undefined) throw new InvalidInputError('There is no conversation with this id');
    return found;
  }

  /** Pinned ones first, then the newest first. */
  list({ folder, limit = DEFAULT_LIMIT, offset = 0 }: ConversationFilter): {
    readonly items: Conversation[];
    readonly total: number;
  } {
    const [where, values] = folder === undefined ? ['', []] : ['WHERE folder IS ?', [folder]];
    const items = this.#file.all(
      `${ROWS} ${where} ORDER BY is_pinned DESC, updated_at DESC, id LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    const [row] = this.#file.all(`SELECT count(*) AS total FROM conversation ${where}`, values);
    return { items: items.map(conversationOf), total: Number(row?.total) };
  }

  create(id: string, { scope, folder, at }: { scope: string; folder: string | null; at: number }): void {
    this.#file.run(
      `INSERT INTO conversation (id, title, has_own_title, scope, folder, is_pinned, created_at, updated_at, draft, leaf)
       VALUES (?, '', 0, ?, ?, 0, ?, ?, '', NULL)`,
      [id, scope, folder, at, at],
    );
  }

  update(id: string, patch: ConversationPatch): void {
    const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
    if (changes.length === 0) return;
    const columns = changes.map(([key]) => `${COLUMNS[key as keyof ConversationPatch]} = ?`);
    this.#file.run(`UPDATE conversation SET ${columns.join(', ')} WHERE id = ?`, [
      ...changes.map(([, value]) => sqlValue(value)),
      id,
    ]);
  }

  delete(id: string): void {
    this.#file.run('DELETE FROM conversation WHERE id = ?', [id]);
  }
}

const sqlValue = (value: string | number | boolean | null): SqlValue =>
  typeof value === 'boolean' ? Number(value) : value;

function conversationOf(row: SqlRow): Conversation {
  return {
    id: String(row.id),
    title: String(row.title),
    scope: String(row.scope),
    folder: row.folder === null ? null : String(row.folder),
    isPinned: Number(row.is_pinned) === 1,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    messages: Number(row.messages),
    draft: String(row.draft),
    leaf: row.leaf === null ? null : String(row.leaf),
  };
}
