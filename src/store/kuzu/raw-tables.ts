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
  /** The tables that a relationship joins. */
  readonly ends: { readonly from: string; readonly to: string } | null;
  readonly columns: readonly RawColumn[];
}

/** Rows per statement, of the table or of the table where the relationships start. */
const PAGE = 16_384;
/** Rows per batch; between batches other work can run. */
const BATCH = 250;

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

export async function countRaw(database: KuzuDatabase, table: RawTable): Promise<number> {
  const [row] = await database.read(`MATCH ${patternOf(table)} RETURN count(*) AS number`);
  return Number(row?.number ?? 0);
}

/** All rows of the table in batches, in the order of the file. */
export async function* readRaw(database: KuzuDatabase, table: RawTable): AsyncGenerator<readonly KuzuRow[]> {
  const paged = quoted(table.ends?.from ?? table.name);
  const [row] = await database.read(`MATCH (n:${paged}) RETURN max(offset(id(n))) AS last`);
  const last = Number(row?.last ?? -1);
  const statement = pageOf(table);
  for (let low = 0; low <= last; low += PAGE) {
    const cursor = await database.cursor(statement, { low, high: low + PAGE });
    try {
      for (let rows = cursor.next(BATCH); rows.length > 0; rows = cursor.next(BATCH)) yield rows;
    } finally {
      cursor.close();
    }
  }
}

function patternOf({ name, ends }: RawTable): string {
  return ends === null
    ? `(n:${quoted(name)})`
    : `(n:${quoted(ends.from)})-[r:${quoted(name)}]->(m:${quoted(ends.to)})`;
}

function pageOf(table: RawTable): string {
  const owner = table.ends === null ? 'n' : 'r';
  const values = table.columns.map(({ name }) => `${owner}.${quoted(name)} AS ${quoted(name)}`);
  const ids = table.ends === null ? [] : ['n.id AS from_id', 'm.id AS to_id'];
  const onPage = 'offset(id(n)) >= $low AND offset(id(n)) < $high';
  return `MATCH ${patternOf(table)} WHERE ${onPage} RETURN ${[...ids, ...values].join(', ')}`;
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
