import type { PostgresOptions } from '../../postgres-options.ts';
import { decodeText, encodeText } from '../sql-codec.ts';
import { type SqlSession, tableIn } from '../sql-database.ts';
import { RECORD_TABLE } from '../sql-schema.ts';
import { PostgresDatabase } from './postgres-database.ts';

/** Texts by id, shared by all processes that open the same memory and kind. */
export interface Records {
  get(id: string): Promise<string | null>;
  all(): Promise<readonly string[]>;
  /** Stores a text under an id in the place of the one before. */
  put(id: string, value: string): Promise<void>;
  /** Edits a text in one transaction and returns the new one; null if there is no text with this id. */
  change(id: string, edit: (value: string) => string): Promise<string | null>;
  close(): Promise<void>;
}

/** @throws as `openPostgresStore`. */
export async function openPostgresRecords(options: PostgresOptions, kind: string): Promise<Records> {
  return new PostgresRecords(await PostgresDatabase.open(options), kind);
}

class PostgresRecords implements Records {
  readonly #database: PostgresDatabase;
  readonly #table: string;
  readonly #kind: string;

  constructor(database: PostgresDatabase, kind: string) {
    this.#database = database;
    this.#table = tableIn(database.dialect, RECORD_TABLE.name);
    this.#kind = ` ${kind}`; // no name of a scope begins with a space
  }

  async get(id: string): Promise<string | null> {
    return this.#database.read(this.#kind, (session) => this.#read(session, id));
  }

  async all(): Promise<readonly string[]> {
    const sql = `SELECT value FROM ${this.#table} WHERE scope = ? ORDER BY id`;
    const rows = await this.#database.read(this.#kind, (session) => session.all(sql, [this.#kind]));
    return rows.map(({ value }) => decodeText(String(value)));
  }

  async put(id: string, value: string): Promise<void> {
    await this.#database.write(this.#kind, (session) => this.#write(session, id, value));
  }

  async change(id: string, edit: (value: string) => string): Promise<string | null> {
    return this.#database.write(this.#kind, async (session) => {
      const before = await this.#read(session, id, 'FOR UPDATE');
      if (before === null) return null;
      const value = edit(before);
      await this.#write(session, id, value);
      return value;
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  async #read(session: SqlSession, id: string, lock = ''): Promise<string | null> {
    const sql = `SELECT value FROM ${this.#table} WHERE scope = ? AND id = ? ${lock}`;
    const [row] = await session.all(sql, [this.#kind, encodeText(id)]);
    return row === undefined ? null : decodeText(String(row.value));
  }

  async #write(session: SqlSession, id: string, value: string): Promise<void> {
    await session.run(
      `INSERT INTO ${this.#table} (scope, id, value) VALUES (?, ?, ?) ON CONFLICT (scope, id) DO UPDATE SET value = excluded.value`,
      [this.#kind, encodeText(id), encodeText(value)],
    );
  }
}
