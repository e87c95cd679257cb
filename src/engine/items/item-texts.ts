import type { Item } from '../../model/nodes.ts';
import { stringsIn } from '../text-holders/strings-in.ts';
import { readItemJson } from './item-json.ts';

/** Shorter texts, such as the word "text", stand anywhere and tell nothing. */
const SHORTEST = 12;

/** What versions of items say, to be looked for once they are gone. */
export function itemTexts(rows: readonly Pick<Item, 'value'>[]): ReadonlySet<string> {
  const texts = rows.flatMap(({ value }) => [...stringsIn(readItemJson(value)?.value)]);
  return new Set(texts.filter((text) => text.trim().length >= SHORTEST));
}
