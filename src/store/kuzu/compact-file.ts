import { rmSync, writeFileSync } from 'node:fs';
import { CancelledError, StoreWriteError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import { groupBy } from '../../util/collections.ts';
import type { CompactionOptions, CompactionProgress } from '../store-files.ts';
import { dropReplacement, replacementPath, rowsPath, sizeOf, walPath } from './file-set.ts';
import type { KuzuRecord, KuzuRow, KuzuValue } from './kuzu-connection.ts';
import { DATABASE_DEFAULTS, KuzuDatabase, type KuzuDatabaseOptions } from './kuzu-database.ts';
import { createTables, migrate } from './migrations.ts';
import {
  digestRaw,
  exportRaw,
  fieldsOf,
  importRaw,
  insertRaw,
  needsQuoting,
  pagesOf,
  type RawColumn,
  type RawDigest,
  type RawPage,
  type RawTable,
  rawTables,
  readRaw,
} from './raw-tables.ts';
import { clearUnusedBytes } from './unused-bytes.ts';

/** Rows per transaction where rows are inserted one by one. Each edge transaction scans the tables of both ends. */
const NODES = 1_000;
const EDGES = 4_000;
/** Of a row in the log: few memories have larger ones on average. */
const LOGGED_ROW = 640;
/** Each checkpoint rewrites the row group of the newest rows and leaves the former copy unused in the file. */
const CHECKPOINT_BYTES = 256 * 2 ** 20;

/**
 * Builds a file beside the database with its rows and nothing else: no removed row, no old version of a page. A memory
 * whose log would stay beside its file (`leastFileBytes`) is all in a log afterwards, a fifth of the size. The caller
 * must keep transactions from running meanwhile. Returns the number of rows.
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
    const checkCancelled = () => {
      if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
    };
    const original = await Digests.of(source, tables, { onPage: checkCancelled });
    const settings = {
      ...DATABASE_DEFAULTS,
      ...options,
      disposable: true,
      checkpointBytes: CHECKPOINT_BYTES,
    };
    const open = () => KuzuDatabase.open(replacementPath(source.path), settings);
    const reportTo = (step: CompactionProgress['step']) => {
      let done = 0;
      return (rows: number) => {
        done += rows;
        if (rows > 0) onProgress?.({ step, done: Math.min(done, original.rows), total: original.rows });
        checkCancelled();
      };
    };
    const staysInLog = original.rows * LOGGED_ROW * 32 < settings.leastFileBytes;
    await whileOpen(await open(), async (target) => {
      await migrate(target);
      await target.write((session) =>
        createTables(
          session,
          tables.map(({ name }) => name),
        ),
      );
      const report = reportTo('copy');
      const copying = new Copying(source, target, { staysInLog, onBatch: checkCancelled });
      for (const { table, page, rows } of original.filled()) {
        await copying.copy(table, page);
        report(rows);
      }
      if (!staysInLog) await target.checkpoint();
    });
    clearOrReject(replacementPath(source.path));
    const copied = await whileOpen(await open(), (target) =>
      Digests.of(target, tables, { onPage: reportTo('check') }),
    );
    const isFolded = sizeOf(walPath(replacementPath(source.path))) === 0;
    if (!original.equals(copied) || !(staysInLog || isFolded))
      throw new StoreWriteError('the compacted file does not equal the original');
    return original.rows;
  } catch (error) {
    dropReplacement(source.path);
    throw error;
  }
}

/** Removed text may be in memory, so it may get into the file (defect 19). */
function clearOrReject(path: string): void {
  if (!clearUnusedBytes(path))
    throw new StoreWriteError('the compacted file may hold removed text: the end of its metadata is unknown');
}

async function whileOpen<T>(database: KuzuDatabase, job: (database: KuzuDatabase) => Promise<T>): Promise<T> {
  try {
    return await job(database);
  } finally {
    await database.close();
  }
}

interface DigestedPage extends RawDigest {
  readonly page: RawPage;
}

class Digests {
  readonly #tables: ReadonlyMap<RawTable, readonly DigestedPage[]>;

  private constructor(tables: ReadonlyMap<RawTable, readonly DigestedPage[]>) {
    this.#tables = tables;
  }

  static async of(
    database: KuzuDatabase,
    tables: readonly RawTable[],
    { onPage }: { readonly onPage: (rows: number) => void },
  ): Promise<Digests> {
    const digests = new Map<RawTable, DigestedPage[]>();
    for (const table of tables) {
      const pages: DigestedPage[] = [];
      for (const page of await pagesOf(database, table)) {
        const part = await digestRaw(database, table, page);
        if (part.rows > 0) pages.push({ page, ...part });
        onPage(part.rows);
      }
      digests.set(table, pages);
    }
    return new Digests(digests);
  }

  get rows(): number {
    return [...this.#tables.keys()].reduce((total, table) => total + this.#totalOf(table).rows, 0);
  }

  /** The pages with rows, table by table. */
  *filled(): Iterable<DigestedPage & { readonly table: RawTable }> {
    for (const [table, pages] of this.#tables) for (const page of pages) yield { table, ...page };
  }

  equals(other: Digests): boolean {
    return [...this.#tables.keys()].every((table) => {
      const [one, two] = [this.#totalOf(table), other.#totalOf(table)];
      return one.rows === two.rows && one.sum === two.sum;
    });
  }

  #totalOf(table: RawTable): RawDigest {
    let [rows, sum] = [0, 0n];
    for (const part of this.#tables.get(table) ?? []) {
      rows += part.rows;
      sum += part.sum;
    }
    return { rows, sum };
  }
}

/**
 * Copies rows page by page: through a file, which takes a tenth of the time that single rows take, or one by one into
 * the log, which `COPY` bypasses.
 */
class Copying {
  readonly #source: KuzuDatabase;
  readonly #target: KuzuDatabase;
  readonly #onBatch: () => void;
  readonly #file: string;
  readonly #inserts: boolean;

  constructor(
    source: KuzuDatabase,
    target: KuzuDatabase,
    { staysInLog, onBatch }: { readonly staysInLog: boolean; readonly onBatch: () => void },
  ) {
    this.#source = source;
    this.#target = target;
    this.#onBatch = onBatch;
    this.#file = rowsPath(source.path).replaceAll('\\', '/');
    this.#inserts = staysInLog || needsQuoting(this.#file);
  }

  copy(table: RawTable, page: RawPage): Promise<void> {
    return this.#inserts ? this.#insert(table, page) : this.#passThroughFile(table, page);
  }

  async #passThroughFile(table: RawTable, page: RawPage): Promise<void> {
    writeFileSync(this.#file, '', { mode: 0o600 });
    try {
      await exportRaw(this.#source, table, { page, path: this.#file });
      await this.#target.write(async (session) => {
        await session.run(importRaw(table, this.#file));
      });
      clearOrReject(this.#target.path); // COPY makes a checkpoint
    } finally {
      rmSync(this.#file, { force: true });
    }
  }

  async #insert(table: RawTable, page: RawPage): Promise<void> {
    const most = table.ends === null ? NODES : EDGES;
    const breather = new Breather();
    let waiting: KuzuRow[] = [];
    for await (const rows of readRaw(this.#source, table, page)) {
      this.#onBatch();
      waiting.push(...rows);
      if (waiting.length >= most) {
        await insert(this.#target, table, waiting);
        waiting = [];
      }
      await breather.breathe();
    }
    if (waiting.length > 0) await insert(this.#target, table, waiting);
  }
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
