import type { Scope } from '../../model/ids.ts';
import type { ScopeState } from '../scope-state.ts';
import type { SharedSnapshot, SharedSnapshots } from '../store-sharing.ts';
import { encodeText } from './sql-codec.ts';
import { type SqlDatabase, type SqlRow, type SqlSession, tableIn } from './sql-database.ts';
import { SCOPE_TABLE, type SqlTable } from './sql-schema.ts';

/** Index snapshots in parts, since a value has a limit and is held in memory whole. */
export const SNAPSHOT_TABLE: SqlTable = {
  name: 'index_snapshot',
  columns: [
    { name: 'part', type: 'integer' },
    { name: 'sequence', type: 'integer' },
    { name: 'token', type: 'integer' },
    { name: 'bytes', type: 'bytes' },
  ],
  key: ['part'],
  indexes: [],
};

const PART_BYTES = 8 * 2 ** 20;

/** Index snapshots in a table of the memory. */
export class SqlSnapshots implements SharedSnapshots {
  readonly #database: SqlDatabase;
  readonly #table: string;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#table = tableIn(database.dialect, SNAPSHOT_TABLE.name);
  }

  async read(scope: Scope): Promise<SharedSnapshot | null> {
    const name = encodeText(scope);
    const sql = `SELECT sequence, token, bytes FROM ${this.#table} WHERE scope = ? ORDER BY part`;
    const parts = await this.#database.read(name, (session) => session.all(sql, [name]));
    if (parts[0] === undefined) return null;
    return { state: stateIn(parts[0]), bytes: Buffer.concat(parts.map(({ bytes }) => bytes as Uint8Array)) };
  }

  async stateOf(scope: Scope): Promise<ScopeState | null> {
    const name = encodeText(scope);
    const sql = `SELECT sequence, token FROM ${this.#table} WHERE scope = ? AND part = 0`;
    const [row] = await this.#database.read(name, (session) => session.all(sql, [name]));
    return row === undefined ? null : stateIn(row);
  }

  async write(scope: Scope, { state: { sequence, token }, bytes }: SharedSnapshot): Promise<boolean> {
    const name = encodeText(scope);
    const rows = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, part) => [
      ...[part, sequence, token],
      bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
    ]);
    return this.#database.write(name, async (session) => {
      // Locks the scope's row: a commit comes before, and is noticed, or after, and removes this if it has to.
      const scopes = tableIn(session.dialect, SCOPE_TABLE);
      const sql = `SELECT sequence FROM ${scopes} WHERE scope = ? AND sequence = ? AND token = ? FOR UPDATE`;
      if ((await session.all(sql, [name, sequence, token])).length === 0) return false;
      await this.#remove(session, name);
      for (const row of rows)
        await session.insert(name, {
          table: SNAPSHOT_TABLE.name,
          columns: SNAPSHOT_TABLE.columns,
          rows: [row],
        });
      return true;
    });
  }

  async remove(scope: Scope): Promise<void> {
    if ((await this.stateOf(scope)) === null) return;
    const name = encodeText(scope);
    await this.#database.write(name, (session) => this.#remove(session, name));
  }

  async #remove(session: SqlSession, name: string): Promise<void> {
    await session.run(`DELETE FROM ${this.#table} WHERE scope = ?`, [name]);
  }
}

function stateIn({ sequence, token }: SqlRow): ScopeState {
  return { sequence: Number(sequence), token: Number(token) };
}
