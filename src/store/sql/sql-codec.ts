import type { ColumnType } from '../../model/columns.ts';
import type { Scope } from '../../model/ids.ts';
import type { Episode, NodeKind, NodeRows } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS, RELATIONSHIPS, type Relationship } from '../../model/relationships.ts';
import { CARRIED_COLUMNS } from '../../model/rows.ts';
import { sha256 } from '../../util/digest-of.ts';
import { parseJson } from '../../util/parse-json.ts';
import { decodeVector, encodeVector } from '../../util/rounded-vector.ts';
import type { SqlRow, SqlValue } from './sql-database.ts';
import { NO_ROLE, NODE_SQL_TABLES, PRECISIONS, type SqlField } from './sql-schema.ts';

/** First character of a text that is stored as JSON, because a database cannot hold it unchanged. */
const MARK = '\u001a';

/** Postgres holds neither NUL nor half a surrogate pair in a text. */
export function encodeText(text: string): string {
  return text.startsWith(MARK) || text.includes('\u0000') || !text.isWellFormed()
    ? MARK + JSON.stringify(text)
    : text;
}

export function decodeText(stored: string): string {
  if (!stored.startsWith(MARK)) return stored;
  const read = parseJson(stored.slice(1));
  return read.ok && typeof read.value === 'string' ? read.value : stored;
}

export const decodeScope = (stored: SqlValue | undefined): Scope => decodeText(String(stored)) as Scope;

/** The values of a node, in the order of its table's columns. */
export function encodeNode<K extends NodeKind>(kind: K, row: NodeRows[K]): SqlValue[] {
  const { fields } = NODE_SQL_TABLES[kind];
  const values = fields.flatMap(({ name, type }) => encodeField(type, row[name as keyof NodeRows[K]]));
  return kind === 'episode' ? [...values, ...digestsOf(row as Episode)] : values;
}

function encodeField(column: ColumnType, value: unknown): SqlValue[] {
  switch (column.type) {
    case 'interval': {
      const interval = value as Exclude<NodeRows['fact']['event'], null> | null;
      if (interval === null) return [null, null, null, null];
      const { start, end, precision, text } = interval;
      return [start, end, PRECISIONS.indexOf(precision), encodeText(text)];
    }
    case 'vector':
      return [encodeVector(value as Float32Array)];
    default:
      return [encodeScalar(column, value)];
  }
}

/** The value of a column that `GraphChanges.updates` may set, or of any other that is stored in one column. */
export function encodeScalar(column: ColumnType, value: unknown): SqlValue {
  switch (column.type) {
    case 'json':
      return encodeText(JSON.stringify(value));
    case 'code':
      return column.values.indexOf(value as string);
    case 'boolean':
      return value === true ? 1 : 0;
    case 'name':
    case 'text':
    case 'optionalName':
      return value === null ? null : encodeText(value as string);
    default:
      return value as number | null;
  }
}

export function decodeNode<K extends NodeKind>(fields: readonly SqlField[], row: SqlRow): NodeRows[K] {
  return Object.fromEntries(
    fields.map((field) => [field.name, decodeField(field, row)]),
  ) as unknown as NodeRows[K];
}

function decodeField({ type: column, columns }: SqlField, row: SqlRow): unknown {
  const value = row[columns[0]!.name] ?? null;
  switch (column.type) {
    case 'name':
    case 'text':
      return decodeText(value as string);
    case 'optionalName':
      return value === null ? null : decodeText(value as string);
    case 'json': {
      const read = parseJson(decodeText(value as string));
      return read.ok ? read.value : null;
    }
    case 'code':
      return column.values[value as number];
    case 'boolean':
      return value === 1;
    case 'vector':
      return decodeVector(value as Uint8Array);
    case 'interval': {
      const [start, end, precision, text] = columns.map(({ name }) => row[name] ?? null);
      return start === null
        ? null
        : { start, end, precision: PRECISIONS[precision as number], text: decodeText(text as string) };
    }
    default:
      return value;
  }
}

/** The values of a relationship, in the order of `RELATIONSHIP_TABLE.columns`. */
export function encodeRelationship(edge: Relationship): SqlValue[] {
  const { kind, from, to, role, relation, confidence } = edge;
  return [
    kindCode(kind),
    encodeText(from),
    encodeText(to),
    pairCode(edge),
    role === undefined ? NO_ROLE : (encodeScalar(CARRIED_COLUMNS.role, role) as number),
    relation === undefined ? null : encodeScalar(CARRIED_COLUMNS.relation, relation),
    confidence ?? null,
  ];
}

export function kindCode(kind: Relationship['kind']): number {
  return RELATIONSHIP_KINDS.indexOf(kind);
}

export function pairCode({
  kind,
  fromKind,
  toKind,
}: Pick<Relationship, 'kind' | 'fromKind' | 'toKind'>): number {
  return RELATIONSHIPS[kind].pairs.findIndex(([from, to]) => from === fromKind && to === toKind);
}

export function decodeRelationship(kind: Relationship['kind'], row: SqlRow): Relationship {
  const { pairs, carries } = RELATIONSHIPS[kind];
  const [fromKind, toKind] = pairs[row.pair as number]!;
  const edge = {
    kind,
    fromKind,
    from: decodeText(String(row.from_id)),
    toKind,
    to: decodeText(String(row.to_id)),
  };
  const carried = carries.map((name) => [name, decodeScalar(CARRIED_COLUMNS[name], row[name] ?? null)]);
  return { ...edge, ...Object.fromEntries(carried) };
}

function decodeScalar(column: ColumnType, value: SqlValue): unknown {
  return column.type === 'code' ? column.values[value as number] : value;
}

function digestsOf({ key, session, index, source, sourceId }: Episode): SqlValue[] {
  return [
    keyDigest(key),
    placeDigest(session, index),
    sourceId === null ? null : sourceDigest(source, sourceId),
  ];
}

export const keyDigest = (key: string): string => digest([key]);
export const placeDigest = (session: string, index: number): string => digest([session, String(index)]);
export const sourceDigest = (source: string, sourceId: string): string => digest([source, sourceId]);

/** 120 bits: whoever finds a row by its digest compares the texts. */
function digest(parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 20);
}
