import { z } from 'zod';
import type { Milliseconds } from '../model/ids.ts';
import type { Item } from '../model/nodes.ts';
import { stringsIn } from '../util/collections.ts';
import { parseJson } from '../util/parse-json.ts';

/** A version's row keeps the value beside what is searched of it, as one JSON text. */
const rowSchema = z.object({
  value: z.custom<ItemValue>(isObject),
  fields: z.union([z.literal(false), z.array(z.string())]).optional(),
});

interface ItemContent {
  readonly value: ItemValue;
  readonly fields: ItemFields | undefined;
}

class NotJson {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** What a row keeps of an item, and the value as it will be read from there. */
interface ItemRow {
  readonly text: string;
  readonly value: ItemValue;
}

/** Or why the value cannot be kept as it is. Properties without a value are left out, as JSON does. */
export function itemRow({ value, fields }: ItemContent): ItemRow | { readonly reason: string } {
  try {
    const text = JSON.stringify({ value, ...(fields === undefined ? {} : { fields }) }, checked);
    const read = readItemJson(text);
    return read === null ? { reason: 'is not an object' } : { text, value: read.value };
  } catch (error) {
    if (error instanceof NotJson) return { reason: error.reason };
    return { reason: 'cannot be written as JSON: it holds itself, or is nested too deeply' };
  }
}

/** Null for text that no item was written as. */
export function readItemJson(text: string): ItemContent | null {
  const read = parseJson(text);
  const parsed = rowSchema.safeParse(read.ok ? read.value : null);
  return parsed.success ? { value: parsed.data.value, fields: parsed.data.fields } : null;
}

/** What JSON would leave out or write as something else is refused, since the caller would not get it back. */
function checked(this: unknown, _key: string, value: unknown): unknown {
  if (value === undefined && Array.isArray(this)) throw new NotJson('holds a list with an undefined place');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new NotJson('holds a number that is not finite');
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    throw new NotJson(`holds a ${typeof value}, which JSON cannot write`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isObject(value))
    throw new NotJson('holds an object that JSON cannot write, such as a Map or a Set');
  return value;
}

function isObject(value: unknown): value is ItemValue {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Shorter texts, such as the word "text", stand anywhere and tell nothing. */
const SHORTEST = 12;

/** What versions of items say, to be looked for once they are gone. */
export function itemTexts(rows: readonly Pick<Item, 'value'>[]): ReadonlySet<string> {
  const texts = rows.flatMap(({ value }) => [...stringsIn(readItemJson(value)?.value)]);
  return new Set(texts.filter((text) => text.trim().length >= SHORTEST));
}

/** What an item holds: an object that JSON can write. */
export type ItemValue = Readonly<Record<string, unknown>>;

/**
 * Which texts of a value a search by meaning reads: `false` none, else paths such as `title`, `author.name`,
 * `chapters[*].text`, `tags[0]`, `tags[-1]` and `$` for all of it.
 */
export type ItemFields = false | readonly string[];

/** An item of a store as it stands: the newest version of its value. */
export interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  /** A copy of its own: to change it changes nothing in memory. */
  readonly value: ItemValue;
  /** When the key was first written, and when its newest version was; system time. */
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** An item that a search found. */
export interface FoundItem extends StoredItem {
  /**
   * Of a search by meaning: from 0 to 1, where 1 is first both by the vectors and by the words. It tells the order, not
   * how alike two texts are. Null for an item that is not searched so, and where nothing was asked.
   */
  readonly score: number | null;
}
