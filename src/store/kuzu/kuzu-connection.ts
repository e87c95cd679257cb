import { InvalidInputError, StoreReadError } from '../../errors/index.ts';
import type * as kuzu from './load-kuzu.ts';
import { type Kuzu, loadKuzu } from './load-kuzu.ts';

/**
 * Kùzu gets only whole numbers and texts; fractions are passed as text and CAST (docs/kuzu-defects.md, defects 1 and
 * 2).
 */
export type KuzuValue = string | number;
export type KuzuRecord = Readonly<Record<string, KuzuValue>>;
type KuzuParameter = KuzuValue | readonly KuzuValue[] | readonly KuzuRecord[];
export type KuzuParameters = Readonly<Record<string, KuzuParameter>>;

/** Parameter names of a statement. Statements never contain data, so a `$` is always a parameter. */
function parameterNames(statement: string): ReadonlySet<string> {
  return new Set([...statement.matchAll(/\$([A-Za-z_]\w*)/g)].map((match) => match[1]!));
}

/**
 * Rejects parameters that Kùzu would misread or crash on, and normalizes the rest.
 *
 * @throws InvalidInputError naming the parameter, never its value.
 */
export function checkParameters(
  names: ReadonlySet<string>,
  parameters: KuzuParameters,
): Record<string, KuzuParameter> {
  for (const name of names) if (parameters[name] === undefined) refuse(name, 'is missing'); // defect 4
  for (const name of Object.keys(parameters)) if (!names.has(name)) refuse(name, 'is not in the statement');
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, check(name, value)]));
}

function check(name: string, value: unknown): KuzuParameter {
  if (!Array.isArray(value)) return checkValue(name, value);
  if (value.length === 0) return refuse(name, 'is an empty list'); // defect 3
  const first: unknown = value[0];
  return isRecord(first) ? checkRecords(name, first, value) : checkList(name, value);
}

function checkList(name: string, list: readonly unknown[]): KuzuValue[] {
  const type = typeof list[0];
  for (const value of list) {
    if (typeof value !== type) refuse(name, 'mixes types'); // defects 1 and 2
    checkValue(name, value);
  }
  return list as KuzuValue[];
}

function checkRecords(name: string, first: KuzuRecord, list: readonly unknown[]): KuzuRecord[] {
  const keys = Object.keys(first);
  return list.map((record) => {
    if (!isRecord(record) || Object.keys(record).length !== keys.length) return refuse(name, 'mixes shapes');
    const ordered: Record<string, KuzuValue> = {};
    for (const key of keys) {
      const value = checkValue(`${name}.${key}`, record[key]);
      if (typeof value !== typeof first[key]) refuse(`${name}.${key}`, 'mixes types');
      ordered[key] = value; // the first record's key order: defect 2
    }
    return ordered;
  });
}

function checkValue(name: string, value: unknown): KuzuValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return refuse(name, 'is neither a text nor a whole number'); // Date (defect 5), NaN, null, nested lists, …
}

function isRecord(value: unknown): value is KuzuRecord {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function refuse(name: string, reason: string): never {
  throw new InvalidInputError(`The statement's parameter ${name} ${reason}`);
}

/** A row as Kùzu returns it: texts, whole numbers (INT64) and fractions (DOUBLE). */
export type KuzuRow = Readonly<Record<string, string | number | null>>;

interface KuzuOptions {
  readonly bufferPoolBytes: number;
  /** A power of two: the maximum size of the file. It reserves address space, not memory. */
  readonly maxDatabaseBytes: number;
}

interface Prepared {
  readonly statement: kuzu.PreparedStatement;
  readonly names: ReadonlySet<string>;
}

const BEGIN = 'BEGIN TRANSACTION';
const changesRows = (statement: string): boolean => /\bSET\b/.test(statement);

/** Reads the rows of one result in portions. Close it before the database (docs/kuzu-defects.md, defect 9). */
export class KuzuCursor {
  readonly #result: kuzu.QueryResult;
  readonly #onClose: (cursor: KuzuCursor) => void;
  #left: number;
  #closed = false;

  constructor(result: kuzu.QueryResult, onClose: (cursor: KuzuCursor) => void) {
    this.#result = result;
    this.#left = result.getNumTuples();
    this.#onClose = onClose;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** At most `limit` rows; none after the last one. */
  next(limit: number): KuzuRow[] {
    if (this.#closed) throw new StoreReadError('the file was closed during a read; repeat the read');
    const rows: KuzuRow[] = [];
    for (const length = Math.min(limit, this.#left); rows.length < length; this.#left -= 1)
      rows.push(this.#result.getNextSync() as KuzuRow);
    return rows;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#result.close();
    this.#onClose(this);
  }
}

/** One native connection with its prepared statements. The caller must run one statement at a time. */
export class KuzuSession {
  readonly #connection: kuzu.Connection;
  readonly #prepared = new Map<string, Prepared>();
  readonly #cursors = new Set<KuzuCursor>();
  #hasChangedRows = false;

  constructor(connection: kuzu.Connection) {
    this.#connection = connection;
  }

  /** Whether a `SET` ran, or failed, in the last transaction. */
  get hasChangedRows(): boolean {
    return this.#hasChangedRows;
  }

  async run(statement: string, parameters: KuzuParameters = {}): Promise<KuzuRow[]> {
    const cursor = await this.open(statement, parameters);
    try {
      return cursor.next(Number.POSITIVE_INFINITY);
    } finally {
      cursor.close();
    }
  }

  async open(statement: string, parameters: KuzuParameters = {}): Promise<KuzuCursor> {
    const names = this.#prepared.get(statement)?.names ?? parameterNames(statement);
    const checked = checkParameters(names, parameters);
    if (statement === BEGIN) this.#hasChangedRows = false;
    else if (!this.#hasChangedRows) this.#hasChangedRows = changesRows(statement);
    const result = await this.#connection.execute(
      (await this.#prepare(statement, names)).statement,
      checked as never,
    );
    const cursor = new KuzuCursor(single(result), (closed) => this.#cursors.delete(closed));
    this.#cursors.add(cursor);
    return cursor;
  }

  async close(): Promise<void> {
    for (const cursor of [...this.#cursors]) cursor.close();
    this.#prepared.clear();
    await this.#connection.close();
  }

  async #prepare(statement: string, names: ReadonlySet<string>): Promise<Prepared> {
    const known = this.#prepared.get(statement);
    if (known !== undefined) return known;
    const prepared = { statement: await this.#connection.prepare(statement), names };
    if (prepared.statement.isSuccess()) this.#prepared.set(statement, prepared);
    return prepared; // `execute` rejects with the reason if this failed
  }
}

/** A native database with one session for writes and two for reads. */
export class KuzuConnection {
  readonly #database: kuzu.Database;
  readonly writer: KuzuSession;
  readonly reader: KuzuSession;
  /** Reading a row by id mostly waits for a thread, so two sessions read many rows in half the time. */
  readonly secondReader: KuzuSession;

  private constructor({ Connection }: Kuzu, database: kuzu.Database) {
    this.#database = database;
    this.writer = new KuzuSession(new Connection(database, 2));
    // One thread, so that rows come in the order of the file.
    this.reader = new KuzuSession(new Connection(database, 1));
    this.secondReader = new KuzuSession(new Connection(database, 1));
  }

  /** Checkpoints run only on `CHECKPOINT`, so that the caller knows when the files change. */
  static async open(path: string, options: KuzuOptions): Promise<KuzuConnection> {
    const { bufferPoolBytes, maxDatabaseBytes } = options;
    const library = loadKuzu();
    const database = new library.Database(path, bufferPoolBytes, true, false, maxDatabaseBytes, false, -1);
    await database.init();
    const connection = new KuzuConnection(library, database);
    try {
      await connection.writer.run('CALL force_checkpoint_on_close=false');
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The order matters: results, connections, database (docs/kuzu-defects.md, defect 9). */
  async close(): Promise<void> {
    await this.reader.close();
    await this.secondReader.close();
    await this.writer.close();
    await this.#database.close();
  }
}

/** Only a text with several statements has several results, and there are none. */
function single(result: kuzu.QueryResult | kuzu.QueryResult[]): kuzu.QueryResult {
  if (!Array.isArray(result)) return result;
  for (const other of result.slice(1)) other.close();
  return result[0]!;
}
