import { StoreReadError } from '../../errors/index.ts';
import type { KuzuRow } from './kuzu-connection.ts';
import type { KuzuDatabase } from './kuzu-database.ts';

export interface RawColumn {
  readonly name: string;
  readonly type: 'STRING' | 'INT64' | 'DOUBLE';
}

/**
 * A table of the database: nodes, or the relationships of one pair of tables. This module does not interpret rows, so
 * it copies any content, column by column.
 */
export interface RawTable {
  readonly name: string;
  readonly ends: { readonly from: string; readonly to: string } | null;
  readonly columns: readonly RawColumn[];
}

/** Rows per statement, of the table or of the table where the relationships start. */
const PAGE = 16_384;
/** Rows per batch; between batches other work can run. */
const BATCH = 250;
/** Nodes per page of a table of relationships: as many as Kùzu keeps the relationships of together. */
const GROUP = 131_072;

/** Rows of `Meta` that each file has for itself. */
const OWN_ROWS = ['schema', 'database'];

const TYPES: readonly string[] = ['STRING', 'INT64', 'DOUBLE'] satisfies RawColumn['type'][];
const quoted = (name: string): string => `\`${name}\``;

/** Nodes first, because relationships need them. */
export async function rawTables(database: KuzuDatabase): Promise<RawTable[]> {
  const found = await database.read('CALL show_tables() RETURN name, type');
  const named = (type: string) =>
    found.flatMap((row) => (row.type === type ? [String(row.name)] : [])).toSorted();
  const tables: RawTable[] = [];
  for (const name of named('NODE')) tables.push({ name, ends: null, columns: await columns(database, name) });
  for (const name of named('REL'))
    for (const ends of await endsOf(database, name))
      tables.push({ name, ends, columns: await columns(database, name) });
  return tables;
}

async function columns(database: KuzuDatabase, table: string): Promise<RawColumn[]> {
  const rows = await database.read(`CALL table_info('${table}') RETURN name, type`);
  return rows.map(({ name, type }) => {
    if (!TYPES.includes(String(type)))
      throw new StoreReadError(`the table ${table} has a column of the type ${type}`);
    return { name: String(name), type: type as RawColumn['type'] };
  });
}

async function endsOf(database: KuzuDatabase, table: string) {
  const rows = await database.read(`CALL show_connection('${table}') RETURN *`);
  return rows.map((row) => ({
    from: String(row['source table name']),
    to: String(row['destination table name']),
  }));
}

/** The fields of a row here: its columns, and the ids of both ends. */
export function fieldsOf({ ends, columns }: RawTable): readonly RawColumn[] {
  const id = (name: string): RawColumn => ({ name, type: 'STRING' });
  return ends === null ? columns : [id('from_id'), id('to_id'), ...columns];
}

/** A part of a table: rows by the place of their node, or of the node where they start. */
export interface RawPage {
  readonly low: number;
  readonly high: number;
}

export async function pagesOf(database: KuzuDatabase, { name, ends }: RawTable): Promise<RawPage[]> {
  const [row] = await database.read(
    `MATCH (n:${quoted(ends?.from ?? name)}) RETURN max(offset(id(n))) AS last`,
  );
  const size = ends === null ? PAGE : GROUP;
  const count = Math.ceil((Number(row?.last ?? -1) + 1) / size);
  return Array.from({ length: count }, (_, at) => ({ low: at * size, high: (at + 1) * size }));
}

/** Number of rows of a part of a table and the sum of their hashes: equal for equal rows in any order. */
export interface RawDigest {
  readonly rows: number;
  readonly sum: bigint;
}

export async function digestRaw(database: KuzuDatabase, table: RawTable, page: RawPage): Promise<RawDigest> {
  const ends = table.ends === null ? [] : ['hash(n.id)', 'hash(m.id)'];
  // Equal numbers have equal hashes, and 0 equals -0; as texts they differ.
  const values = table.columns.flatMap(({ name, type }) => {
    const value = cellIn(table, name);
    return type === 'DOUBLE' ? [`hash(${value})`, `hash(CAST(${value} AS STRING))`] : [`hash(${value})`];
  });
  const sum = `CAST(sum(CAST(hash([${[...ends, ...values].join(', ')}]) AS INT128)) AS STRING)`;
  const [row] = await database.read(`${matchOf(table)} RETURN count(*) AS number, ${sum} AS digest`, {
    ...page,
  });
  return { rows: Number(row?.number ?? 0), sum: BigInt(row?.digest ?? 0) };
}

/** Writes a part of a table to a file. The path must not need quoting: see `needsQuoting`. */
export async function exportRaw(
  database: KuzuDatabase,
  table: RawTable,
  { page, path }: { readonly page: RawPage; readonly path: string },
): Promise<void> {
  await database.read(`COPY (${selectOf(table)}) TO '${path}'`, { ...page });
}

/** The statement that adds the rows of a file to the table. */
export function importRaw({ name, ends }: RawTable, path: string): string {
  const pair = ends === null ? '' : ` (from='${ends.from}', to='${ends.to}')`;
  return `COPY ${quoted(name)} FROM '${path}'${pair}`;
}

/** Whether a path has signs that a statement would read as something else, such as a pattern for several files. */
export function needsQuoting(path: string): boolean {
  return !/^[\p{L}\p{M}\p{N} /_.,:+~@&=()-]+$/u.test(path);
}

/** A part of a table in batches, in the order of the file. */
export async function* readRaw(
  database: KuzuDatabase,
  table: RawTable,
  page: RawPage,
): AsyncGenerator<readonly KuzuRow[]> {
  const cursor = await database.cursor(selectOf(table), { ...page });
  try {
    for (let rows = cursor.next(BATCH); rows.length > 0; rows = cursor.next(BATCH)) yield rows;
  } finally {
    cursor.close();
  }
}

function matchOf({ name, ends }: RawTable): string {
  const pattern =
    ends === null
      ? `(n:${quoted(name)})`
      : `(n:${quoted(ends.from)})-[r:${quoted(name)}]->(m:${quoted(ends.to)})`;
  const own = name === 'Meta' ? ` AND NOT n.id IN [${OWN_ROWS.map((id) => `'${id}'`).join(', ')}]` : '';
  return `MATCH ${pattern} WHERE offset(id(n)) >= $low AND offset(id(n)) < $high${own}`;
}

function cellIn({ ends }: RawTable, column: string): string {
  return `${ends === null ? 'n' : 'r'}.${quoted(column)}`;
}

function selectOf(table: RawTable): string {
  const values = table.columns.map(({ name }) => `${cellIn(table, name)} AS ${quoted(name)}`);
  const ids = table.ends === null ? [] : ['n.id AS from_id', 'm.id AS to_id'];
  return `${matchOf(table)} RETURN ${[...ids, ...values].join(', ')}`;
}

/**
 * Inserts rows that have values only in `fields`, passed as `$rows`. Lists are projected first, as in `statements.ts`;
 * fractions are passed as text.
 */
export function insertRaw({ name, ends }: RawTable, fields: readonly RawColumn[]): string {
  const value = (column: RawColumn, source: string) =>
    `${quoted(column.name)}: ${column.type === 'DOUBLE' ? `CAST(${source} AS DOUBLE)` : source}`;
  if (ends === null) {
    const values = fields.map((column) => value(column, `r.${quoted(column.name)}`)).join(', ');
    return `UNWIND $rows AS r CREATE (:${quoted(name)} {${values}})`;
  }
  const projected = fields.map((column) => `r.${quoted(column.name)} AS ${local(column)}`).join(', ');
  const carried = fields.filter((column) => column.name !== 'from_id' && column.name !== 'to_id');
  const kept = [{ name: 'to_id' }, ...carried].map(local).join(', ');
  const values = carried.map((column) => value(column, local(column))).join(', ');
  return `UNWIND $rows AS r WITH ${projected} MATCH (a:${quoted(ends.from)}) WHERE a.id = f_from_id WITH a, ${kept} MATCH (b:${quoted(ends.to)}) WHERE b.id = f_to_id CREATE (a)-[:${quoted(name)} {${values}}]->(b)`;
}

const local = ({ name }: Pick<RawColumn, 'name'>): string => `f_${name}`;
