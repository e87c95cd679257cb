import { StoreReadError } from '../../errors/index.ts';
import type { ColumnType } from '../../model/columns.ts';
import {
  NODE_KINDS,
  type NodeKind,
  type NodeRows,
  TIME_PRECISIONS,
  type TimeInterval,
  type TimePrecision,
} from '../../model/nodes.ts';
import { columnsByName } from '../../model/rows.ts';
import { decodeVector, encodeVector } from '../../util/rounded-vector.ts';
import { NO_TIME } from '../schema.ts';
import type { KuzuRecord, KuzuRow, KuzuValue } from './kuzu-connection.ts';

/**
 * How texts are encoded as database strings. Kùzu turns a lone surrogate into U+FFFD. At every checkpoint it rewrites a
 * whole group of 131,072 strings in its buffer pool, so rows of several kilobytes make checkpoints fail with "buffer
 * pool is full". So texts with lone surrogates are escaped, and long ones are cut into pieces stored as rows.
 */
const MARK = '\u0000';
const NULL = `${MARK}n`;
const ESCAPED = `${MARK}j`;
const CUT = `${MARK}p`;

/** Maximum bytes of UTF-8 in a column or a piece: 131,072 of them stay under 132 MB. */
const PIECE_BYTES = 1000;

export function encodeName(text: string | null): string {
  if (text === null) return NULL;
  return text.startsWith(MARK) || /\p{Surrogate}/u.test(text) ? ESCAPED + JSON.stringify(text) : text;
}

export function decodeName(stored: string): string | null {
  if (stored === NULL) return null;
  // No boundary check: only `encodeName` writes this mark.
  return stored.startsWith(ESCAPED) ? String(JSON.parse(stored.slice(ESCAPED.length))) : stored;
}

interface EncodedText {
  readonly inline: string;
  readonly pieces: readonly string[];
}

export function encodeText(text: string): EncodedText {
  const whole = encodeName(text);
  // A UTF-16 unit takes at most three bytes, so most texts need no byte count.
  if (whole.length * 3 <= PIECE_BYTES || Buffer.byteLength(whole) <= PIECE_BYTES)
    return { inline: whole, pieces: [] };
  const pieces = cut(whole);
  return { inline: CUT + pieces.length, pieces };
}

/** Number of pieces of the text of this column; 0 if the column holds all of it. */
function pieceCount(inline: string): number {
  return inline.startsWith(CUT) ? Number(inline.slice(CUT.length)) : 0;
}

function decodeText(inline: string, pieces: readonly string[]): string {
  return decodeName(inline.startsWith(CUT) ? pieces.join('') : inline) ?? '';
}

function cut(text: string): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + PIECE_BYTES, bytes.length);
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1; // never inside a character
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

/**
 * Vectors are base64 of their bytes, split into columns of 512 characters: one column for a vector of 4,096 bytes would
 * make checkpoints exceed the buffer pool (see `MARK`).
 */
const VECTOR_COLUMNS = 16;
const CHARACTERS = 512;

const vectorColumn = (index: number): string => `vector${index}`;

/** As many columns as the vector needs; the last column also holds what exceeds all of them. */
function vectorColumns(vector: Float32Array): string[] {
  const { buffer, byteOffset, byteLength } = encodeVector(vector);
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  const parts: string[] = [];
  for (let start = 0; start < text.length && parts.length < VECTOR_COLUMNS; start += CHARACTERS) {
    const last = parts.length === VECTOR_COLUMNS - 1;
    parts.push(text.slice(start, last ? undefined : start + CHARACTERS));
  }
  return parts;
}

/** A part of a long text, stored as a row of `Piece`. */
export type PieceRow = Readonly<Record<'id' | 'text', string>>;

interface EncodedRow {
  readonly record: KuzuRecord;
  readonly pieces: readonly PieceRow[];
}

/** A value of a single column that can be compared or SET. */
export function encodeScalar(column: ColumnType, value: unknown): KuzuValue {
  switch (column.type) {
    case 'name':
    case 'optionalName':
      return encodeName(value as string | null);
    case 'integer':
    case 'time':
      return value as number;
    case 'optionalTime':
      return (value as number | null) ?? NO_TIME;
    case 'boolean':
      return value === true ? 1 : 0;
    case 'code':
      return column.values.indexOf(value as string);
    case 'number':
      return Object.is(value, -0) ? '-0.0' : String(value); // CAST in the statement
    default:
      return String(value);
  }
}

export function encodeRow<K extends NodeKind>(kind: K, row: NodeRows[K]): EncodedRow {
  const record: Record<string, KuzuValue> = {};
  const pieces: PieceRow[] = [];
  for (const [name, column] of columnsOf(kind)) {
    const value: unknown = row[name as keyof NodeRows[K]];
    if (column.type === 'text' || column.type === 'json') {
      const text = encodeText(column.type === 'json' ? JSON.stringify(value) : (value as string));
      record[name] = text.inline;
      text.pieces.forEach((part, index) => {
        pieces.push({ id: pieceId(kind, row.id, name, index), text: part });
      });
    } else if (column.type === 'interval')
      Object.assign(record, encodeInterval(name, value as TimeInterval | null));
    else if (column.type === 'vector')
      vectorColumns(value as Float32Array).forEach((part, index) => {
        record[vectorColumn(index)] = part;
      });
    else record[name] = encodeScalar(column, value);
  }
  return { record, pieces };
}

/** Ids of the pieces that `decodeRow` needs. */
export function piecesOf(kind: NodeKind, row: KuzuRow, columns: Columns): string[] {
  const ids: string[] = [];
  for (const [name, column] of columns) {
    if (column.type !== 'text' && column.type !== 'json') continue;
    const count = pieceCount(String(row[name]));
    for (let index = 0; index < count; index += 1) ids.push(pieceId(kind, String(row.id), name, index));
  }
  return ids;
}

export function decodeRow<K extends NodeKind>(
  kind: K,
  row: KuzuRow,
  { pieces, columns }: { pieces: ReadonlyMap<string, string>; columns: Columns },
): NodeRows[K] {
  const decoded: Record<string, unknown> = {};
  for (const [name, column] of columns) {
    if (column.type === 'text' || column.type === 'json') {
      const text = textOf(kind, row, name, pieces);
      decoded[name] = column.type === 'json' ? column.form.parse(JSON.parse(text)) : text;
    } else if (column.type === 'interval') decoded[name] = decodeInterval(name, row);
    else if (column.type === 'vector')
      decoded[name] = decodeVector(Buffer.from(String(row[name] ?? ''), 'base64'));
    else decoded[name] = decodeScalar(column, row[name] ?? null);
  }
  return decoded as unknown as NodeRows[K];
}

export function decodeScalar(column: ColumnType, value: string | number | null): unknown {
  switch (column.type) {
    case 'name':
    case 'optionalName':
      return decodeName(String(value));
    case 'optionalTime':
      return value === NO_TIME ? null : value;
    case 'boolean':
      return value === 1;
    case 'code':
      return column.values[Number(value)];
    default:
      return value;
  }
}

/** The database columns of a kind, or of some of its fields, without `scope` and `sequence`. */
export function databaseColumns(kind: NodeKind, fields?: readonly string[]): string[] {
  return columnsOf(kind, fields).flatMap(([name, { type }]) => {
    if (type === 'interval') return INTERVAL_PARTS.map((part) => name + part);
    return type === 'vector' ? VECTOR_COLUMN_NAMES : [name];
  });
}

/**
 * The columns that a statement returns of a row `n`. A vector is returned as one value, because each cell costs as much
 * to transfer as a kilobyte of text. With text columns, the id is included, to find the pieces of long texts.
 */
export function returnedColumns(
  kind: NodeKind,
  fields?: readonly string[],
): { readonly name: string; readonly expression: string }[] {
  const hasTexts = columnsOf(kind, fields).some(([, { type }]) => type === 'text' || type === 'json');
  const names = new Set([...(hasTexts ? ['id'] : []), ...databaseColumns(kind, fields)]);
  for (const name of VECTOR_COLUMN_NAMES) names.delete(name);
  const columns = Array.from(names, (name) => ({ name, expression: `n.\`${name}\`` }));
  const vector = columnsOf(kind, fields).find(([, { type }]) => type === 'vector');
  if (vector === undefined) return columns;
  const parts = VECTOR_COLUMN_NAMES.map((name) => `n.${name}`);
  return [...columns, { name: vector[0], expression: `concat(${parts.join(', ')})` }];
}

type Columns = readonly (readonly [string, ColumnType])[];

/** The requested fields of a kind (default: all) with their column types. */
export function columnsOf(kind: NodeKind, fields?: readonly string[]): Columns {
  return fields === undefined ? COLUMNS[kind] : COLUMNS[kind].filter(([name]) => fields.includes(name));
}

/** Computed once: a scan needs them for every row. */
const COLUMNS = Object.fromEntries(
  NODE_KINDS.map((kind) => [kind, Object.entries(columnsByName(kind))]),
) as unknown as Readonly<Record<NodeKind, Columns>>;

const INTERVAL_PARTS = ['Start', 'End', 'Precision', 'Text'];
const NO_INTERVAL = -1;
const VECTOR_COLUMN_NAMES = Array.from({ length: VECTOR_COLUMNS }, (_, index) => vectorColumn(index));

function encodeInterval(name: string, interval: TimeInterval | null): KuzuRecord {
  return {
    [`${name}Start`]: interval?.start ?? NO_TIME,
    [`${name}End`]: interval?.end ?? NO_TIME,
    [`${name}Precision`]: interval === null ? NO_INTERVAL : TIME_PRECISIONS.indexOf(interval.precision),
    [`${name}Text`]: encodeName(interval?.text ?? ''),
  };
}

function decodeInterval(name: string, row: KuzuRow): TimeInterval | null {
  const precision = Number(row[`${name}Precision`]);
  if (precision === NO_INTERVAL) return null;
  return {
    start: Number(row[`${name}Start`]),
    end: Number(row[`${name}End`]),
    precision: TIME_PRECISIONS[precision] as TimePrecision,
    text: decodeName(String(row[`${name}Text`])) ?? '',
  };
}

function textOf(kind: NodeKind, row: KuzuRow, name: string, pieces: ReadonlyMap<string, string>): string {
  const inline = String(row[name]);
  const parts = Array.from({ length: pieceCount(inline) }, (_, index) => {
    const part = pieces.get(pieceId(kind, String(row.id), name, index));
    if (part === undefined) throw new StoreReadError(`a part of a ${kind}'s ${name} is missing`);
    return part;
  });
  return decodeText(inline, parts);
}

/** Unique, because kinds and column names contain no slash and the index is a number. */
function pieceId(kind: NodeKind, row: string, column: string, index: number): string {
  return `${kind}/${row}/${column}/${index}`;
}
