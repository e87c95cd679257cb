import { entityNameKey, tidyName } from '../util/tidy.ts';
import type { LayerNode } from './categorizer.ts';

/** The category of whoever speaks in the first person (docs/papers.md §1.5). */
export const SPEAKER = 'Speaker';

const LONGEST_CATEGORY_NAME = 60;
/** Words that join two subjects, which had better be two categories (Mnemis, Appendix E). */
const JOINTS = new Set(['and', 'und', 'et']);
/** "R&B", "C++", "A/B" and "TCP/IP" are one word each; "Food/drinks" are two. */
const JOINT = /\s*[,;]\s+(?:(?:and|und|et|&)\s+)?|\s+(?:and|und|et|&|\+|\/)\s+|(?<=\p{L}{3})\/(?=\p{L}{3})/iu;
/** No plural, though they look like one. */
const SINGULAR = new Set(['news', 'series', 'species']);

/**
 * The names that a proposed one stands for, as they are kept: without quotes and articles, begun with a capital. What
 * is joined by "and" is two names, since a node may belong to both; none where nothing usable is left.
 */
export function categoryNames(proposed: string): readonly string[] {
  const names = proposed.split(JOINT).flatMap((part) => {
    const name = settledName(part);
    if (name === null || name.length > LONGEST_CATEGORY_NAME || JOINTS.has(name.toLowerCase())) return [];
    return [capitalised(name)];
  });
  return [...new Map(names.map((name) => [categoryKey(name), name])).values()];
}

/** Tidied until nothing more is left to tidy: a name that was kept comes out as it went in. */
function settledName(text: string): string | null {
  const name = tidyName(text);
  return name === null || name === text ? name : settledName(name);
}

/** Two names with equal keys are the same category of a layer: case, accents, spacing and plural aside. */
export function categoryKey(name: string): string {
  return entityNameKey(name)
    .split(' ')
    .map((word) => singular(word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')))
    .filter((word) => word !== '')
    .join(' ');
}

/** "Cities" and "City", "boxes" and "box" become one key; a key is never shown. */
function singular(word: string): string {
  if (word.length <= 3 || /(?:ss|us|is)$/.test(word) || SINGULAR.has(word)) return word;
  const one = word.endsWith('s') ? word.slice(0, -1) : word;
  // "houses" and "boxes" do not tell whether there is an e: neither key has one. So with "movies" and "cities".
  if (/(?:ch|sh|x|z|s)e$/.test(one)) return one.slice(0, -1);
  return one.length > 3 && one.endsWith('ie') ? `${one.slice(0, -2)}y` : one;
}

function capitalised(name: string): string {
  const [first = ''] = name;
  return first.toUpperCase() + name.slice(first.length);
}

const FIRST_PERSON = new Set(['user', 'the user', 'i', 'me', 'myself']);
/** They may be things as well. */
const IF_A_PERSON = new Set(['speaker', 'the speaker']);

/**
 * Whether a node stands for whoever speaks (docs/papers.md §1.5); speakers who are called by name are ordinary
 * entities.
 */
export function isFirstPerson({ name, tags }: Pick<LayerNode, 'name' | 'tags'>): boolean {
  const key = entityNameKey(name);
  return FIRST_PERSON.has(key) || (IF_A_PERSON.has(key) && tags.includes('person'));
}
