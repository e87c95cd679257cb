import { createHash } from 'node:crypto';
import { CancelledError, StoreWriteError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import { groupBy } from '../../util/collections.ts';
import type { CompactionOptions, CompactionProgress } from '../store-files.ts';
import { dropReplacement, replacementPath, sizeOf, walPath } from './file-set.ts';
import type { KuzuRecord, KuzuRow, KuzuValue } from './kuzu-connection.ts';
import { DATABASE_DEFAULTS, KuzuDatabase, type KuzuDatabaseOptions } from './kuzu-database.ts';
import { createTables, migrate } from './migrations.ts';
import {
  countRaw,
  fieldsOf,
  insertRaw,
  type RawColumn,
  type RawTable,
  rawTables,
  readRaw,
} from './raw-tables.ts';

const MASK = (1n << 128n) - 1n;

/** Number of rows of a table and the sum of their hashes: equal for equal rows in any order. */
class TableDigest {
  #rows = 0;
  #sum = 0n;
  readonly #fields: readonly RawColumn[];

  constructor(fields: readonly RawColumn[]) {
    this.#fields = fields;
  }

  add(row: KuzuRow): void {
    const values = this.#fields.map(({ name }) => exact(row[name] ?? null));
    const hash = createHash('sha256').update(JSON.stringify(values)).digest();
    this.#rows += 1;
    this.#sum = (this.#sum + hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n)) & MASK;
  }

  get rows(): number {
    return this.#rows;
  }

  toString(): string {
    return `${this.#rows} ${this.#sum.toString(16)}`;
  }
}

/** JSON writes -0 as 0. */
function exact(value: string | number | null): string | number | null {
  return Object.is(value, -0) ? '-0' : value;
}

/** Rows of `Meta` that each file has for itself. */
const OWN_ROWS: readonly string[] = ['schema', 'database'];
/**
 * Rows per transaction of the copy. More would block the thread for too long. Each edge transaction scans the tables of
 * both ends.
 */
const NODES = 1_000;
const EDGES = 4_000;
/** Each checkpoint rewrites the row group of the newest rows and leaves the former copy unused in the file. */
const CHECKPOINT_BYTES = 256 * 2 ** 20;

/**
 * Builds a file beside the database with its rows and nothing else: no removed row, no old version of a page. The
 * caller must keep transactions from running meanwhile. Returns the number of rows.
 *
 * @throws CancelledError, StoreWriteError if the copy does not equal the original, DiskFullError; the copy is removed.
 */
export async function buildCompacted(
  source: KuzuDatabase,
  options: Partial<KuzuDatabaseOptions>,
  { signal, onProgress }: CompactionOptions,
): Promise<number> {
  dropReplacement(source.path);
  try {
    const tables = await rawTables(source);
    let total = 0;
    for (const table of tables) total += await countRaw(source, table);
    total -= OWN_ROWS.length;
    const copying = new Copying({ signal, report: reportTo('copy', total, onProgress) });
    const checking = new Copying({ signal, report: reportTo('check', total, onProgress) });
    const settings = {
      ...DATABASE_DEFAULTS,
      ...options,
      disposable: true,
      checkpointBytes: CHECKPOINT_BYTES,
    };
    const open = () => KuzuDatabase.open(replacementPath(source.path), settings);
    const wanted = await using(await open(), async (target) => {
      await migrate(target);
      await target.write((session) =>
        createTables(
          session,
          tables.map(({ name }) => name),
        ),
      );
      const digests = await copying.copyAll({ source, target, tables });
      await target.checkpoint();
      return digests;
    });
    const found = await using(await open(), (target) => checking.readAll(target, tables));
    if (wanted.join() !== found.join() || sizeOf(walPath(replacementPath(source.path))) > 0)
      throw new StoreWriteError('the compacted file does not equal the original');
    return copying.done;
  } catch (error) {
    dropReplacement(source.path);
    throw error;
  }
}

function reportTo(
  step: CompactionProgress['step'],
  total: number,
  onProgress: CompactionOptions['onProgress'],
): (done: number) => void {
  return (done) => onProgress?.({ step, done, total });
}

async function using<T>(database: KuzuDatabase, job: (database: KuzuDatabase) => Promise<T>): Promise<T> {
  try {
    return await job(database);
  } finally {
    await database.close();
  }
}

interface CopyContext {
  readonly signal: AbortSignal | undefined;
  readonly report: (done: number) => void;
}

/** One pass over all tables. */
class Copying {
  readonly #context: CopyContext;
  done = 0;

  constructor(context: CopyContext) {
    this.#context = context;
  }

  /** Digests of the copied tables, in order. */
  async copyAll({
    source,
    target,
    tables,
  }: {
    source: KuzuDatabase;
    target: KuzuDatabase;
    tables: readonly RawTable[];
  }): Promise<string[]> {
    const digests: string[] = [];
    for (const table of tables)
      digests.push(await this.#pass(source, table, (rows) => insert(target, table, rows)));
    return digests;
  }

  async readAll(database: KuzuDatabase, tables: readonly RawTable[]): Promise<string[]> {
    const digests: string[] = [];
    for (const table of tables) digests.push(await this.#pass(database, table));
    return digests;
  }

  async #pass(
    database: KuzuDatabase,
    table: RawTable,
    take: (rows: readonly KuzuRow[]) => Promise<void> = async () => undefined,
  ): Promise<string> {
    const digest = new TableDigest(fieldsOf(table));
    const most = table.ends === null ? NODES : EDGES;
    const breather = new Breather();
    let waiting: KuzuRow[] = [];
    const pass = async () => {
      await take(waiting);
      this.done += waiting.length;
      this.#context.report(this.done);
      waiting = [];
    };
    for await (const rows of readRaw(database, table)) {
      const { signal } = this.#context;
      if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
      for (const row of rows) {
        if (isOwn(table, row)) continue;
        digest.add(row);
        waiting.push(row);
      }
      if (waiting.length >= most) await pass();
      await breather.breathe();
    }
    if (waiting.length > 0) await pass();
    return digest.toString();
  }
}

function isOwn({ name }: RawTable, row: KuzuRow): boolean {
  return name === 'Meta' && OWN_ROWS.includes(String(row.id));
}

/** All rows of a statement must set the same columns, and parameters cannot be null. */
async function insert(target: KuzuDatabase, table: RawTable, rows: readonly KuzuRow[]): Promise<void> {
  const fields = fieldsOf(table);
  const groups = groupBy(rows, (row) => fields.map(({ name }) => (row[name] === null ? '0' : '1')).join(''));
  await target.write(async (session) => {
    for (const alike of groups.values()) {
      const set = fields.filter(({ name }) => alike[0]![name] !== null);
      await session.run(insertRaw(table, set), { rows: alike.map((row) => recordOf(row, set)) });
    }
  });
}

function recordOf(row: KuzuRow, fields: readonly RawColumn[]): KuzuRecord {
  return Object.fromEntries(fields.map(({ name, type }) => [name, cellOf(row[name]!, type)]));
}

function cellOf(value: string | number, type: RawColumn['type']): KuzuValue {
  if (type !== 'DOUBLE') return value;
  return Object.is(value, -0) ? '-0.0' : String(value);
}
