import { entityNameKey, tidyName } from '../util/tidy.ts';
import type { LayerNode } from './categorizer.ts';

/** The category of first-person speakers (docs/papers.md §1.5). */
export const SPEAKER = 'Speaker';

const COLLECTIVE = /^(?:names|named people|miscellaneous|things|time)$|^other /i;

/** Whether a name says nothing about the members of its category; people see the members in its place. */
export function isCollective(name: string): boolean {
  return COLLECTIVE.test(name.trim());
}

const LONGEST_CATEGORY_NAME = 60;
/** Words that join two subjects, which should be two categories (Mnemis, Appendix E). */
const JOINTS = new Set(['and', 'und', 'et']);
/** "R&B", "C++", "A/B" and "TCP/IP" are one word each; "Food/drinks" is two. */
const JOINT = /\s*[,;]\s+(?:(?:and|und|et|&)\s+)?|\s+(?:and|und|et|&|\+|\/)\s+|(?<=\p{L}{3})\/(?=\p{L}{3})/iu;
/** Singular nouns that end like plurals. */
const SINGULAR = new Set(['news', 'series', 'species']);

/**
 * Normalizes a proposed name: removes quotes and articles, capitalises the first letter. Names joined by "and" become
 * two, since a node may belong to both. Empty if nothing usable remains.
 */
export function categoryNames(proposed: string): readonly string[] {
  const names = proposed.split(JOINT).flatMap((part) => {
    const name = settledName(part);
    if (name === null || name.length > LONGEST_CATEGORY_NAME || JOINTS.has(name.toLowerCase())) return [];
    return [capitalised(name)];
  });
  return [...new Map(names.map((name) => [categoryKey(name), name])).values()];
}

/** Tidies until nothing changes, so that a stored name stays the same when it is read again. */
function settledName(text: string): string | null {
  const name = tidyName(text);
  return name === null || name === text ? name : settledName(name);
}

/** Two names with equal keys are the same category of a layer: ignores case, accents, spacing and plural. */
export function categoryKey(name: string): string {
  return entityNameKey(name)
    .split(' ')
    .map((word) => singular(word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')))
    .filter((word) => word !== '')
    .join(' ');
}

/** Maps "Cities" and "City", "boxes" and "box" to one key; keys are never shown. */
function singular(word: string): string {
  if (word.length <= 3 || /(?:ss|us|is)$/.test(word) || SINGULAR.has(word)) return word;
  const one = word.endsWith('s') ? word.slice(0, -1) : word;
  // "houses" and "boxes" do not show whether the singular ends in "e", so neither key does. The same goes for
  // "movies" and "cities".
  if (/(?:ch|sh|x|z|s)e$/.test(one)) return one.slice(0, -1);
  return one.length > 3 && one.endsWith('ie') ? `${one.slice(0, -2)}y` : one;
}

function capitalised(name: string): string {
  const [first = ''] = name;
  return first.toUpperCase() + name.slice(first.length);
}

const FIRST_PERSON = new Set(['user', 'the user', 'i', 'me', 'myself']);
/** Names that may also be things. */
const IF_A_PERSON = new Set(['speaker', 'the speaker']);

/** Whether a node is the first-person speaker (docs/papers.md §1.5); speakers with a name are ordinary entities. */
export function isFirstPerson({ name, tags }: Pick<LayerNode, 'name' | 'tags'>): boolean {
  const key = entityNameKey(name);
  return FIRST_PERSON.has(key) || (IF_A_PERSON.has(key) && tags.includes('person'));
}
