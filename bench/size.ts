import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readLocomoDataset } from '../eval/datasets/locomo.ts';
import { Mnemis } from '../src/engine.ts';
import type { TurnInput } from '../src/model/turn-input.ts';
import { KuzuDatabase } from '../src/store/kuzu/kuzu-database.ts';
import { KuzuStore, type KuzuStoreOptions } from '../src/store/kuzu/kuzu-store.ts';
import { tableNames } from '../src/store/kuzu/migrations.ts';
import { digestRaw, pagesOf, rawTables } from '../src/store/kuzu/raw-tables.ts';
import { openSqlite } from '../src/util/sqlite-file.ts';
import { inTemporaryFolder } from './temporary-memory.ts';

/** Bytes of a part of the memory: a table of a log, a column or index of a table. */
interface Part {
  readonly part: string;
  readonly bytes: number;
}

export interface SizeReport {
  readonly store: string;
  readonly turns: number;
  /** Of all files but the snapshots of indexes: when the memory was closed, and after a compaction. */
  readonly closedBytes: number;
  readonly compactedBytes: number;
  /** Beside them, written again when the memory was searched. */
  readonly snapshotBytes: number;
  /** Of the compacted file, the largest first; together `compactedBytes`. */
  readonly parts: readonly Part[];
}

const PAGE = 4096;

/**
 * Where each byte of a conversation's memory is, made in the local tier and compacted: as SQLite file, as Kùzu file, and
 * as Kùzu file whose log is folded into it, which a larger memory is.
 */
export async function benchSize(data: string, conversation: number): Promise<SizeReport[]> {
  const { cases } = await readLocomoDataset(data);
  const turns = cases[conversation]?.turns ?? [];
  const reports: SizeReport[] = [];
  await inTemporaryFolder(async (path) => {
    for (const name of ['sqlite', 'kuzu']) mkdirSync(join(dirname(path), name));
    const sqlite = join(dirname(path), 'sqlite', 'memory.sqlite');
    const kuzu = join(dirname(path), 'kuzu', 'memory.db');
    const folded = join(dirname(path), 'folded', 'memory.db');
    reports.push(await measure(sqlite, turns, async () => sqliteParts(sqlite)));
    reports.push(await measure(kuzu, turns, () => logParts(kuzu)));
    cpSync(dirname(kuzu), dirname(folded), { recursive: true });
    await compactKuzu(folded, { leastFileBytes: 0 });
    const compactedBytes = bytesBeside(folded);
    const parts = withRest(await foldedParts(folded), compactedBytes, 'indexes of primary keys, catalogue');
    reports.push({ ...reports[1]!, store: 'kuzu, folded', compactedBytes, parts });
  });
  return reports;
}

async function measure(
  path: string,
  turns: readonly TurnInput[],
  partsOf: () => Promise<readonly Part[]>,
): Promise<SizeReport> {
  const opened = async <T>(job: (engine: Mnemis) => Promise<T>) => {
    const engine = await Mnemis.open({ path });
    try {
      return await job(engine);
    } finally {
      await engine.close();
    }
  };
  await opened(async (engine) => {
    await engine.scope('bench').add(turns);
    await engine.scope('bench').flush();
  });
  const closedBytes = bytesBeside(path);
  await opened((engine) => engine.compact());
  const compactedBytes = bytesBeside(path);
  const parts = withRest(await partsOf(), compactedBytes, 'seal, header');
  await opened((engine) => engine.scope('bench').search('anything'));
  const snapshotBytes = sizesIn(`${path}.indexes`).reduce((sum, size) => sum + size, 0);
  const store = path.endsWith('.sqlite') ? 'sqlite' : 'kuzu';
  return { store, turns: turns.length, closedBytes, compactedBytes, snapshotBytes, parts };
}

/** All files of a memory but its snapshots. */
function bytesBeside(path: string): number {
  return sizesIn(dirname(path), basename(path)).reduce((sum, size) => sum + size, 0);
}

function sizesIn(folder: string, prefix = ''): number[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names.filter((name) => name.startsWith(prefix)).map((name) => statSync(join(folder, name)));
  return files.filter((file) => file.isFile()).map(({ size }) => size);
}

function withRest(parts: readonly Part[], total: number, rest: string): Part[] {
  const known = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...parts, { part: rest, bytes: total - known }]
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
}

/** Indexes whole; tables by their columns, and what lies between the values: headers of rows and pages, unused space. */
function sqliteParts(path: string): Part[] {
  const database = openSqlite(path);
  try {
    const tables = new Set(
      database.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => String(name)),
    );
    const stored = database.all('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name');
    return stored.flatMap(({ name, bytes }) => {
      const table = String(name);
      if (!tables.has(table)) return [{ part: table, bytes: Number(bytes) }];
      const columns = database.all(`PRAGMA table_info("${table}")`).map((column) => String(column.name));
      const sums = columns.map((column) => `coalesce(sum(${lengthOf(column)}), 0) AS "${column}"`).join(', ');
      const values = database.get(`SELECT ${sums} FROM "${table}"`) ?? {};
      const parts = columns.map((column) => ({ part: `${table}.${column}`, bytes: Number(values[column]) }));
      const inColumns = parts.reduce((sum, part) => sum + part.bytes, 0);
      return [...parts, { part: `${table}: rows and pages`, bytes: Number(bytes) - inColumns }];
    });
  } finally {
    database.close();
  }
}

/** Bytes of a value in a row of SQLite; its type is in the row's header. */
function lengthOf(column: string): string {
  const value = `"${column}"`;
  const sizes = [7, 15, 23, 31, 47].map(
    (bits, at) => `WHEN abs(${value}) < ${2 ** bits} THEN ${at < 4 ? at + 1 : 6}`,
  );
  const integer = `CASE WHEN ${value} IN (0, 1) THEN 0 ${sizes.join(' ')} ELSE 8 END`;
  return `CASE typeof(${value}) WHEN 'null' THEN 0 WHEN 'integer' THEN ${integer} WHEN 'real' THEN 8 ELSE length(CAST(${value} AS BLOB)) END`;
}

/** What each table adds to the log while it is compacted once more, and what of it are values of vectors. */
async function logParts(path: string): Promise<Part[]> {
  const grown: number[] = [];
  await compactKuzu(path, {}, () => grown.push(statSync(`${path}.compacting.wal`).size));
  return inKuzu(path, async (database) => {
    const copied: string[] = [];
    for (const table of await rawTables(database))
      for (const page of await pagesOf(database, table))
        if ((await digestRaw(database, table, page)).rows > 0)
          copied.push([table.name, ...Object.values(table.ends ?? {})].join(' '));
    return copied.map((part, at) => ({ part, bytes: grown[at]! - (grown[at - 1] ?? 0) }));
  });
}

async function foldedParts(path: string): Promise<Part[]> {
  return inKuzu(path, async (database) => {
    const parts: Part[] = [];
    const run = (statement: string) => database.read(statement);
    for (const table of await tableNames({ run })) {
      const pages = new Map<string, number>();
      for (const { column_name: column, num_pages: count } of await run(
        `CALL storage_info('${table}') RETURN *`,
      )) {
        const name = String(column).replace(/_(data|offset|index|null|length)$/, '');
        pages.set(name, (pages.get(name) ?? 0) + Number(count));
      }
      for (const [name, count] of pages) parts.push({ part: `${table}.${name}`, bytes: count * PAGE });
    }
    return parts;
  });
}

async function inKuzu<T>(path: string, job: (database: KuzuDatabase) => Promise<T>): Promise<T> {
  const database = await KuzuDatabase.open(path);
  try {
    return await job(database);
  } finally {
    await database.close();
  }
}

async function compactKuzu(
  path: string,
  options: Omit<KuzuStoreOptions, 'path'>,
  onCopied: () => void = () => undefined,
): Promise<void> {
  const store = await KuzuStore.open({ path, ...options });
  try {
    await store.files()!.compact({ onProgress: ({ step }) => (step === 'copy' ? onCopied() : undefined) });
  } finally {
    await store.close();
  }
}

export function describeSizes(reports: readonly SizeReport[]): string {
  return reports
    .map((report) => {
      const { store, turns, closedBytes, compactedBytes, snapshotBytes, parts } = report;
      const head = `${store}: ${turns} turns, ${closedBytes} bytes when closed, ${compactedBytes} compacted, snapshots beside it ${snapshotBytes}`;
      return [head, ...parts.map(({ part, bytes }) => `${String(bytes).padStart(10)}  ${part}`)].join('\n');
    })
    .join('\n\n');
}
