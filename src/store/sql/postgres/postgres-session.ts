import type pg from 'pg';
import {
  listed,
  quoted,
  RowExists,
  type SqlColumn,
  type SqlDialect,
  type SqlParameter,
  type SqlRow,
  type SqlRows,
  type SqlSession,
  tableIn,
} from '../sql-database.ts';
import { arrayOf, numbered } from './postgres-dialect.ts';

const UNIQUE_VIOLATION = '23505';
const ABORTED = '25P02';

/**
 * Statements on one connection, within its transaction. Rows are written by `unnest` of one array for each column: one
 * text of a statement for any number of rows (docs/decisions/2026-11-27-postgres-facts.md).
 */
export class PostgresSession implements SqlSession {
  readonly dialect: SqlDialect;
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase, dialect: SqlDialect) {
    this.#client = client;
    this.dialect = dialect;
  }

  async all(sql: string, parameters: readonly SqlParameter[] = []): Promise<readonly SqlRow[]> {
    return (await this.#execute(sql, parameters)).rows;
  }

  async together(jobs: readonly (() => Promise<void>)[]): Promise<void> {
    const ended = await Promise.allSettled(jobs.map((job) => job()));
    const failures = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    // After a failed statement, the server refuses the others.
    const first = failures.find((failure) => (failure as { code?: unknown }).code !== ABORTED) ?? failures[0];
    if (first !== undefined) throw first;
  }

  async run(sql: string, parameters: readonly SqlParameter[] = []): Promise<number> {
    return (await this.#execute(sql, parameters)).rowCount ?? 0;
  }

  async insert(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const into = `INSERT INTO ${tableIn(this.dialect, table)} ("scope", ${listed(columns)})`;
    await this.#execute(`${into} SELECT ?::text, given.* FROM ${given(columns)}`, [
      scope,
      ...byColumn(columns, rows),
    ]);
  }

  async update(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const sets = columns.slice(1).map(({ name }) => `${quoted(name)} = given.${quoted(name)}`);
    await this.#execute(
      `UPDATE ${tableIn(this.dialect, table)} AS stored SET ${sets.join(', ')} FROM ${given(columns)} WHERE stored."id" = given."id" AND stored."scope" = ?`,
      [...byColumn(columns, rows), scope],
    );
  }

  async delete(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const same = columns.map(({ name }) => `stored.${quoted(name)} = given.${quoted(name)}`);
    await this.#execute(
      `DELETE FROM ${tableIn(this.dialect, table)} AS stored USING ${given(columns)} WHERE ${same.join(' AND ')} AND stored."scope" = ?`,
      [...byColumn(columns, rows), scope],
    );
  }

  async #execute(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult<SqlRow>> {
    try {
      return await this.#client.query<SqlRow>(numbered(sql), [...parameters]);
    } catch (error) {
      throw (error as { code?: string }).code === UNIQUE_VIOLATION ? new RowExists() : error;
    }
  }
}

/** A table `given` of the rows that the parameters hold, an array for each column. */
function given(columns: readonly SqlColumn[]): string {
  return `unnest(${columns.map(({ type }) => `?::${arrayOf(type)}`).join(', ')}) AS given(${listed(columns)})`;
}

function byColumn(columns: readonly SqlColumn[], rows: SqlRows['rows']): unknown[][] {
  return columns.map(({ type }, place) =>
    rows.map((row) => (type === 'double' && Object.is(row[place], -0) ? '-0' : row[place]!)),
  );
}
