import type sqlite from 'node-sqlite3-wasm';
import {
  DatabaseCorruptError,
  DiskFullError,
  MnemisError,
  StoreClosedError,
  StoreReadError,
  StoreWriteError,
} from '../../../errors/index.ts';
import { Breather } from '../../../util/breathe.ts';
import { SharedGate } from '../../../util/serial-queue.ts';
import { eraseDeleted, isDiskFull, type SqliteConnection } from '../../../util/sqlite-file.ts';
import type { DatabaseLock } from '../../database-lock.ts';
import {
  listed,
  quoted,
  RowExists,
  type SqlDatabase,
  type SqlDialect,
  type SqlParameter,
  type SqlRow,
  type SqlRows,
  type SqlScope,
  type SqlSession,
  type SqlValue,
  tableIn,
} from '../sql-database.ts';

type Statement = ReturnType<SqliteConnection['prepare']>;
type JsValue = Parameters<typeof sqlite.Database.prototype.run>[1];

export const SQLITE_DIALECT: SqlDialect = {
  schema: 'main',
  types: { text: 'TEXT', integer: 'INTEGER', double: 'REAL', bytes: 'BLOB' },
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  isIn: (column) => `${quoted(column)} IN (SELECT value FROM json_each(?))`,
  createIndex: (name, table, columns) =>
    `CREATE INDEX IF NOT EXISTS main.${quoted(name)} ON ${quoted(table)} (${columns})`,
};

/** Statements kept prepared; the texts of statements are few. */
const MOST_STATEMENTS = 200;

/**
 * A memory in one SQLite file. SQLite runs in this thread: a write yields between its statements and rows, and reads
 * wait until it is committed.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect = SQLITE_DIALECT;
  readonly location: string;
  readonly #connection: SqliteConnection;
  readonly #lock: DatabaseLock;
  readonly #gate = new SharedGate();
  readonly #session: SqliteSession;
  #closing: Promise<void> | null = null;

  constructor(path: string, connection: SqliteConnection, lock: DatabaseLock) {
    this.location = path;
    this.#connection = connection;
    this.#lock = lock;
    this.#session = new SqliteSession(connection);
  }

  async read<T>(_: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.#gate.shared(() => this.#try('read', () => job(this.#session)));
  }

  view<T>(_: SqlScope, job: (database: SqlDatabase) => Promise<T>): Promise<T> {
    return job(this);
  }

  async write<T>(_: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.exclusive('write', async () => {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK'); // one whose end failed
      this.#connection.exec('BEGIN IMMEDIATE');
      try {
        const result = await job(this.#session);
        this.#connection.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  /** Runs a job on the connection while no other statement runs. */
  exclusive<T>(doing: 'read' | 'write', job: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    return this.#gate.exclusive(() => this.#try(doing, () => job(this.#connection)));
  }

  async erase(): Promise<void> {
    try {
      await this.exclusive('write', async (connection) => eraseDeleted(connection));
    } catch {
      // The commit is stored. The log keeps the removed rows until the next removal or until `close`.
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#gate.exclusive(async () => {
      try {
        this.#session.close();
        eraseDeleted(this.#connection);
      } catch {
        // A full disk: the log stays beside the file and is read by the next opening.
      }
      try {
        this.#connection.close();
      } catch {
        // The same: what is acknowledged is in the log.
      } finally {
        await this.#lock.release();
      }
    });
    return this.#closing;
  }

  #rollBack(): void {
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    } catch {
      // The next write tries again; the error of this one counts.
    }
  }

  async #try<T>(doing: 'read' | 'write', job: () => Promise<T>): Promise<T> {
    try {
      return await job();
    } catch (error) {
      throw asSqliteError(this.location, error, doing);
    }
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw new StoreClosedError();
  }
}

class SqliteSession implements SqlSession {
  readonly dialect = SQLITE_DIALECT;
  readonly #connection: SqliteConnection;
  /** By text, the least recently used first. */
  readonly #statements = new Map<string, Statement>();
  readonly #breather = new Breather();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all(sql: string, parameters: readonly SqlParameter[] = []): Promise<readonly SqlRow[]> {
    return this.#execute(sql, (statement) => statement.all(bound(parameters)) as SqlRow[]);
  }

  async together(jobs: readonly (() => Promise<void>)[]): Promise<void> {
    for (const job of jobs) await job();
  }

  async run(sql: string, parameters: readonly SqlParameter[] = []): Promise<number> {
    return this.#execute(sql, (statement) => statement.run(bound(parameters)).changes);
  }

  async insert(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const places = [scope, ...columns].map(() => '?').join(', ');
    await this.#runAll(
      `INSERT INTO ${tableIn(this.dialect, table)} ("scope", ${listed(columns)}) VALUES (${places})`,
      rows.map((row) => [scope, ...row]),
    );
  }

  async update(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const sets = columns.slice(1).map(({ name }) => `${quoted(name)} = ?`);
    await this.#runAll(
      `UPDATE ${tableIn(this.dialect, table)} SET ${sets.join(', ')} WHERE "scope" = ? AND "id" = ?`,
      rows.map(([id, ...values]) => [...values, scope, id!]),
    );
  }

  async delete(scope: string, { table, columns, rows }: SqlRows): Promise<void> {
    const conditions = columns.map(({ name }) => `${quoted(name)} = ?`);
    await this.#runAll(
      `DELETE FROM ${tableIn(this.dialect, table)} WHERE "scope" = ? AND ${conditions.join(' AND ')}`,
      rows.map((row) => [scope, ...row]),
    );
  }

  close(): void {
    for (const sql of [...this.#statements.keys()]) this.#drop(sql);
  }

  async #runAll(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    for (const row of rows) {
      this.#execute(sql, (statement) => statement.run(row as JsValue));
      if (this.#breather.isDue) await this.#breather.breathe();
    }
  }

  #execute<T>(sql: string, job: (statement: Statement) => T): T {
    try {
      return job(this.#prepare(sql));
    } catch (error) {
      this.#drop(sql); // a statement that failed cannot be bound again
      throw /UNIQUE constraint failed/i.test(String(error)) ? new RowExists() : error;
    }
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    this.#statements.delete(sql);
    const statement = known ?? this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MOST_STATEMENTS && oldest !== undefined) this.#drop(oldest);
    return statement;
  }

  #drop(sql: string): void {
    const statement = this.#statements.get(sql);
    this.#statements.delete(sql);
    try {
      statement?.finalize();
    } catch {
      // SQLite repeats the error of the last step; the statement is gone.
    }
  }
}

function bound(parameters: readonly SqlParameter[]): JsValue {
  return parameters.map((each) => (Array.isArray(each) ? JSON.stringify(each) : each)) as JsValue;
}

/** SQLite's messages name tables and columns, never values. */
export function asSqliteError(path: string, error: unknown, doing: 'open' | 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isDiskFull(path, error)) return new DiskFullError(path, error);
  if (/not a database/i.test(message))
    return new DatabaseCorruptError(path, 'it is not an SQLite database, or its beginning is damaged', error);
  if (/malformed/i.test(message))
    return new DatabaseCorruptError(path, 'it is a damaged SQLite database', error);
  if (doing === 'write') return new StoreWriteError(message, error);
  return new StoreReadError(message, error);
}
