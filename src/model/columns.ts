import { z } from 'zod';
import { TIME_PRECISIONS } from './codes.ts';
import type { Milliseconds } from './ids.ts';

/** How a store keeps a column. */
export type ColumnType =
  /** Short text for lookups. */
  | { readonly type: 'name' }
  | { readonly type: 'optionalName' }
  /** Text of any length. */
  | { readonly type: 'text' }
  | { readonly type: 'integer' }
  | { readonly type: 'time' }
  | { readonly type: 'optionalTime' }
  | { readonly type: 'boolean' }
  | { readonly type: 'number' }
  /** One of a fixed list, stored as its position: only ever append to such a list. */
  | { readonly type: 'code'; readonly values: readonly string[] }
  /** `form` is the schema of a stored value, without limits of length. */
  | { readonly type: 'json'; readonly form: z.ZodType }
  /** A TimeInterval or null. */
  | { readonly type: 'interval' }
  | { readonly type: 'vector' };

const WITH_TEXT: readonly ColumnType['type'][] = ['name', 'optionalName', 'text', 'json', 'interval'];
/** Whether a column holds text: an interval has the words of a time. */
export const holdsText = ({ type }: ColumnType): boolean => WITH_TEXT.includes(type);

/** A column of a row. */
export type Column<Value = unknown> = ColumnType & {
  /** Its type, and what a row of an export may have in it. */
  readonly schema: z.ZodType<Value>;
  /** Whether it can change after the row is written. */
  readonly isMutable?: boolean;
  /** What it is in exports from before it existed. */
  readonly before?: Value;
};

/** A row with these columns. */
export type RowOf<Columns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends { readonly schema: z.ZodType<infer Value> }
    ? Value
    : never;
};

/** Names of the columns that can change. */
export type MutableIn<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends { readonly isMutable: true } ? Name : never;
}[keyof Columns];

/** Maximum length of a stored text, in UTF-16 code units. A longer turn is rejected with this reason. */
export const MAX_CONTENT_LENGTH = 250_000;

const textSchema = z.string().max(MAX_CONTENT_LENGTH);
/** Limited as names are in `add`, with room for the keys that are made of them. */
const nameSchema = z.string().max(4_000);
const idSchema = z.string().min(1).max(200);
/** The range of a Date. */
const timeSchema = z.number().int().min(-8.64e15).max(8.64e15);

/** The id of a row, its own or another's. */
export const id = <Id extends string>() =>
  ({ type: 'name', schema: idSchema as unknown as z.ZodType<Id> }) as const;
export const name = { type: 'name', schema: nameSchema } as const;
export const optionalName = { type: 'optionalName', schema: nameSchema.nullable() } as const;
export const text = { type: 'text', schema: textSchema } as const;
/** A text that is searched by its words and is short all the same. */
export const title = { type: 'text', schema: nameSchema } as const;
export const integer = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  ({ type: 'integer', schema: z.number().int().min(least).max(most) }) as const;
export const time: Column<Milliseconds> & { readonly type: 'time' } = { type: 'time', schema: timeSchema };
export const optionalTime: Column<Milliseconds | null> & { readonly type: 'optionalTime' } = {
  type: 'optionalTime',
  schema: timeSchema.nullable(),
};
export const boolean = { type: 'boolean', schema: z.boolean() } as const;
/** A number from 0 to 1. */
export const share = { type: 'number', schema: z.number().min(0).max(1) } as const;
export const code = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  ({ type: 'code', values, schema: z.enum(values) as z.ZodType<Values[number]> }) as const;
export const vector = {
  type: 'vector',
  schema: z.instanceof(Float32Array) as z.ZodType<Float32Array>,
} as const;

/** A value that is stored as JSON. `form` gives its schema for texts of a schema. */
export const json = <Value>(form: (text: z.ZodString) => z.ZodType<Value>) =>
  ({ type: 'json', form: form(z.string()), schema: form(textSchema) }) as const;
export const textList = json<readonly string[]>((text) => z.array(text));
export const idList = { ...textList, schema: z.array(idSchema) as z.ZodType<readonly string[]> } as const;

const attachmentSchema = (text: z.ZodString) =>
  z.object({
    /** A short type name, such as `image`. */
    kind: text,
    description: text,
    uri: text.optional(),
  });
/**
 * Content attached to a turn, such as a picture. Its description is searched like the turn's text; `uri` is stored
 * but never fetched.
 */
export interface Attachment extends Readonly<z.infer<ReturnType<typeof attachmentSchema>>> {}
export const attachments = json<readonly Attachment[]>((text) => z.array(attachmentSchema(text)));

const intervalSchema = z.object({
  start: timeSchema,
  end: timeSchema,
  precision: z.enum(TIME_PRECISIONS),
  text: textSchema,
});
/**
 * What an expression such as "last year" denotes: a half-open interval [start, end) in UTC, its precision, and the
 * words it was parsed from.
 */
export interface TimeInterval extends Readonly<z.infer<typeof intervalSchema>> {}
export const optionalInterval = {
  type: 'interval',
  schema: intervalSchema.nullable() as z.ZodType<TimeInterval | null>,
} as const;

type WithoutText = Column & { readonly type: 'time' | 'optionalTime' | 'boolean' | 'code' };
/**
 * A column that `GraphChanges.updates` may set. Never one with text, because a database may store changed text
 * incorrectly (docs/kuzu-defects.md, defect 8).
 */
export const mutable = <C extends WithoutText>(column: C) => ({ ...column, isMutable: true as const });

/** A column that exports of older versions lack. */
export const addedLater = <C extends Column>(column: C, before: z.infer<C['schema']>) => ({
  ...column,
  before,
});
