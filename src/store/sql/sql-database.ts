/** A value of a column. `bytes` columns take and give Uint8Array. */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;
/** A list is bound to one placeholder, inside `SqlDialect.isIn`. */
export type SqlParameter = SqlValue | readonly string[];

export type SqlType = 'text' | 'integer' | 'double' | 'bytes';

export interface SqlColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly optional?: boolean;
}

/** Where the two databases differ in the text of a statement. */
export interface SqlDialect {
  /** The name of the SQL schema that holds the tables, quoted. */
  readonly schema: string;
  readonly types: Readonly<Record<SqlType, string>>;
  /** The database's clock, in milliseconds since 1970. */
  readonly now: string;
  /** Whether `column` is in the list bound to its placeholder. */
  isIn(column: string): string;
  /** Creates an index if it is missing; `columns` are quoted. */
  createIndex(name: string, table: string, columns: string): string;
}

/** Rows of one table, in the order of `columns`. */
export interface SqlRows {
  readonly table: string;
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/**
 * Statements of one transaction, in which every row belongs to one scope: the methods add the scope to each row that
 * they write and to each condition. Placeholders are question marks.
 */
export interface SqlSession {
  readonly dialect: SqlDialect;
  all(sql: string, parameters?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
  /**
   * Runs jobs that do not depend on each other, at once where that saves time. @throws the first failure, when all have
   * ended: what a transaction still does must not follow its end.
   */
  together(jobs: readonly (() => Promise<void>)[]): Promise<void>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: readonly SqlParameter[]): Promise<number>;
  /** @throws RowExists when a row with the same key exists. */
  insert(scope: string, rows: SqlRows): Promise<void>;
  /** Sets all columns but the first, which is the id. */
  update(scope: string, rows: SqlRows): Promise<void>;
  /** Removes the rows with these values in these columns. */
  delete(scope: string, rows: SqlRows): Promise<void>;
}

/** The scope of a transaction; null for one that concerns the whole database. */
export type SqlScope = string | null;

/** Whether what a transaction wrote is there, by its result. Asked where a connection was lost during COMMIT. */
export type IsStored<T> = (session: SqlSession, result: T) => Promise<boolean>;

/** A database that holds a memory. A job sees what was committed before it began, and its own writes. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Path of the file, or the address of the server without its password. */
  readonly location: string;
  read<T>(scope: SqlScope, job: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs a job whose reads all see the database as it was when it began; as it is, where this process alone writes. */
  view<T>(scope: SqlScope, job: (database: SqlDatabase) => Promise<T>): Promise<T>;
  /** Runs a job in a transaction: all of its writes are on disk when the promise resolves, none if it rejects. */
  write<T>(scope: SqlScope, job: (session: SqlSession) => Promise<T>, isStored?: IsStored<T>): Promise<T>;
  /** Removes from the files what removed rows left there. Absent where the database does so by itself, or cannot. */
  erase?(): Promise<void>;
  close(): Promise<void>;
}

/** A row with the same key exists. Thrown by drivers, translated by the writer. */
export class RowExists extends Error {
  override readonly name = 'RowExists';
}

/** Qualified and quoted name of a table. */
export const tableIn = ({ schema }: Pick<SqlDialect, 'schema'>, table: string): string =>
  `${schema}.${quoted(table)}`;

export const quoted = (name: string): string => `"${name}"`;

/** Columns in the order of a statement. */
export const listed = (columns: readonly { readonly name: string }[]): string =>
  columns.map(({ name }) => quoted(name)).join(', ');
