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
  /** Names of scopes, or their beginnings and a star. */
  readonly scopes?: readonly string[] | undefined;
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
/** A session without messages of the app is listed with the imports, unless it was put somewhere else. */
const IS_LISTED = '(session IS NULL OR is_pinned = 1 OR folder IS NOT NULL OR leaf IS NOT NULL)';

export interface NewConversation {
  readonly scope: string;
  readonly folder: string | null;
  readonly at: number;
  /** The session that it continues, with its title. */
  readonly session?: string | undefined;
  readonly title?: string | undefined;
}

export class ConversationTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Undefined if there is none with this id. */
  find(id: string): Conversation | undefined {
    const [row] = this.#file.all(`${ROWS} WHERE id = ?`, [id]);
    return row && this.#conversationOf(row);
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

  /** The conversation that continues a session, or whose own session it is. */
  ofSession(scope: string, session: string): Conversation | undefined {
    const [row] = this.#file.all(
      `${ROWS} WHERE scope = ? AND (session = ? OR (id = ? AND session IS NULL))`,
      [scope, session, session],
    );
    return row && this.#conversationOf(row);
  }

  /** The sessions of a scope that conversations continue, with the titles that users gave them. */
  continued(scope: string): {
    readonly id: string;
    readonly session: string;
    readonly title: string | null;
    readonly isListed: boolean;
  }[] {
    return this.#file
      .all(
        `SELECT id, session, title, has_own_title, ${IS_LISTED} AS is_listed FROM conversation
         WHERE scope = ? AND session IS NOT NULL`,
        [scope],
      )
      .map((row) => ({
        id: String(row.id),
        session: String(row.session),
        title: Number(row.has_own_title) === 1 ? String(row.title) : null,
        isListed: Number(row.is_listed) === 1,
      }));
  }

  /** The titles of all conversations with messages, the newest first. */
  titles(): Pick<Conversation, 'id' | 'title' | 'scope' | 'updatedAt'>[] {
    return this.#file
      .all(
        'SELECT id, title, scope, updated_at FROM conversation WHERE leaf IS NOT NULL ORDER BY updated_at DESC',
      )
      .map((row) => ({
        id: String(row.id),
        title: String(row.title),
        scope: String(row.scope),
        updatedAt: Number(row.updated_at),
      }));
  }

  /** Pinned ones first, then the newest first. */
  list({ folder, scopes, limit = DEFAULT_LIMIT, offset = 0 }: ConversationFilter): {
    readonly items: Conversation[];
    readonly total: number;
  } {
    const inFolder = folder === undefined ? [] : ['folder IS ?'];
    const inScopes = scopes === undefined ? [] : [`(${scopes.map(scopeIs).join(' OR ') || 'FALSE'})`];
    const where = `WHERE ${[IS_LISTED, ...inFolder, ...inScopes].join(' AND ')}`;
    const values = [
      ...(folder === undefined ? [] : [folder]),
      ...(scopes ?? []).map((pattern) => pattern.replace(/\*$/, '')),
    ];
    const items = this.#file.all(
      `${ROWS} ${where} ORDER BY is_pinned DESC, updated_at DESC, id LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    const [row] = this.#file.all(`SELECT count(*) AS total FROM conversation ${where}`, values);
    return { items: items.map((row) => this.#conversationOf(row)), total: Number(row?.total) };
  }

  create(id: string, { scope, folder, at, session, title = '' }: NewConversation): void {
    this.#file.run(
      `INSERT INTO conversation (id, title, has_own_title, scope, folder, is_pinned, created_at, updated_at, draft, leaf,
         session) VALUES (?, ?, 0, ?, ?, 0, ?, ?, '', NULL, ?)`,
      [id, title, scope, folder, at, at, session ?? null],
    );
    // One that a session's name gives its id can begin again after it was forgotten.
    this.#file.run('DELETE FROM forgotten WHERE id = ?', [id]);
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

  #conversationOf(row: SqlRow): Conversation {
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
      session: row.session === null ? null : String(row.session),
      isPrivate: this.#file.isInMemory,
    };
  }
}

const scopeIs = (pattern: string): string => (pattern.endsWith('*') ? 'instr(scope, ?) = 1' : 'scope = ?');

const sqlValue = (value: string | number | boolean | null): SqlValue =>
  typeof value === 'boolean' ? Number(value) : value;
