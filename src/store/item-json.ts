import { z } from 'zod';
import type { Milliseconds } from '../model/ids.ts';
import type { Item } from '../model/nodes.ts';
import { stringsIn } from '../util/collections.ts';
import { parseJson } from '../util/parse-json.ts';

/** The row of a version stores the value and its search fields as one JSON text. */
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

/** The stored form of an item, and the value as it is read back. */
interface ItemRow {
  readonly text: string;
  readonly value: ItemValue;
}

/** Returns the reason if the value cannot be stored unchanged. Properties without a value are omitted, as in JSON. */
export function itemRow({ value, fields }: ItemContent): ItemRow | { readonly reason: string } {
  try {
    const text = JSON.stringify({ value, ...(fields === undefined ? {} : { fields }) }, checked);
    const read = readItemJson(text);
    return read === null ? { reason: 'is not an object' } : { text, value: read.value };
  } catch (error) {
    if (error instanceof NotJson) return { reason: error.reason };
    return { reason: 'cannot be written as JSON: it contains itself, or is nested too deeply' };
  }
}

/** Null for text that is not an encoded item. */
export function readItemJson(text: string): ItemContent | null {
  const read = parseJson(text);
  const parsed = rowSchema.safeParse(read.ok ? read.value : null);
  return parsed.success ? { value: parsed.data.value, fields: parsed.data.fields } : null;
}

/** Rejects what JSON would omit or change, because the caller would not get it back. */
function checked(this: unknown, _key: string, value: unknown): unknown {
  if (value === undefined && Array.isArray(this)) throw new NotJson('holds a list with an undefined entry');
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

/** Shorter texts, such as the word "text", occur everywhere and prove nothing. */
const SHORTEST = 12;

/** The texts of item versions, to search for after they are removed. */
export function itemTexts(rows: readonly Pick<Item, 'value'>[]): ReadonlySet<string> {
  const texts = rows.flatMap(({ value }) => [...stringsIn(readItemJson(value)?.value)]);
  return new Set(texts.filter((text) => text.trim().length >= SHORTEST));
}

/** The value of an item: an object that JSON can represent. */
export type ItemValue = Readonly<Record<string, unknown>>;

/**
 * The texts of a value that semantic search covers: `false` for none, else paths such as `title`, `author.name`,
 * `chapters[*].text`, `tags[0]`, `tags[-1]` and `$` for the whole value.
 */
export type ItemFields = false | readonly string[];

/** The current state of an item: the newest version of its value. */
export interface StoredItem {
  readonly namespace: readonly string[];
  readonly key: string;
  /** A copy: changing it does not change memory. */
  readonly value: ItemValue;
  /** When the key and its newest version were first written; system time. */
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** An item that a search found. */
export interface FoundItem extends StoredItem {
  /**
   * Similarity to the query, from 0 to 1: the mean of the cosine of the item's best text (at least 0) and of the share
   * of the query's words that the item has, where rare words count more. Without an embedder: the share alone. Null for
   * an item without search fields, and for a search without a query.
   */
  readonly score: number | null;
}
