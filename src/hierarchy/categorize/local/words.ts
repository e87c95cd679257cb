import type { NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';
import { IRREGULAR_PLURALS } from '../../../search/english.ts';
import { wordSet } from '../../../util/collections.ts';
import words from './words.json' with { type: 'json' };

/** Words used only in the plural. */
const PLURAL_ONLY = wordSet(words.pluralOnly);

/** Singular of a lower-case noun, if `isKnown` accepts it; else the word. */
export function baseForm(word: string, isKnown: (word: string) => boolean): string {
  const irregular = IRREGULAR_PLURALS.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 3 || !word.endsWith('s') || PLURAL_ONLY.has(word) || /(?:ss|us|is)$/.test(word))
    return word;
  const candidates = /ies$/.test(word)
    ? [`${word.slice(0, -3)}y`, word.slice(0, -1)]
    : [word.slice(0, -1), ...(/(?:ch|sh|x|z|s|o)es$/.test(word) ? [word.slice(0, -2)] : [])];
  return (
    candidates.find(isKnown) ??
    (isKnown(word) ? word : candidates.at(/(?:ch|sh|x|z|s)es$/.test(word) ? -1 : 0)!)
  );
}

export function plural(word: string): string {
  for (const [many, one] of IRREGULAR_PLURALS) if (one === word) return many;
  if (PLURAL_ONLY.has(word) && word.endsWith('s') && !/(?:ss|us|as)$/.test(word)) return word;
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:tech|stomach|monarch|epoch)$/.test(word)) return `${word}s`;
  if (/(?:ch|sh|x|z|s)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}

/** The words before these name the thing: "bottle of wine", "talk about climate". */
const PREPOSITION =
  /\s(?:of|for|in|with|at|on|from|about|to|by|near|under|over|during|between|against|without|like|that|who|which|named|called)\s.*$/i;

export function beforePreposition(name: string): string {
  return name.replace(/\s*\([^)]*\)\s*$/, '').replace(PREPOSITION, '');
}

/** Words of a name as written. */
export function wordsOf(name: string): readonly string[] {
  return (
    name.match(/[\p{L}\p{N}][\p{L}\p{N}'’.&+#-]*/gu)?.map((word) => word.replace(/(?:['’]s|['’.-])$/u, '')) ??
    []
  );
}

/** English adjectives that the taxonomy also has as nouns, which is their rarer use. */
const ADJECTIVES = wordSet(words.adjectives);

/** Nouns that carry no information about a thing. */
const EMPTY = wordSet(words.empty);

/** Placeholder nouns: the words before them carry the meaning. */
const PLACEHOLDERS = wordSet(words.placeholders);

/** Removes placeholders at the end: "tech stuff" is about tech, "simple things" about nothing specific. */
export function meaningfulWords(words: readonly string[]): readonly string[] {
  const end = words.findLastIndex((word) => !PLACEHOLDERS.has(word.toLowerCase()));
  return words.slice(0, end + 1);
}

/** Exact form only: "local", but not "locals". */
export function isUsuallyAdjective(word: string): boolean {
  return ADJECTIVES.has(word);
}

export function isAdjective(word: string): boolean {
  return ADJECTIVES.has(word) || /.(?:ful|ous|ive|able|ible|less|ish|minded)$/.test(word);
}

export function isUninformative(word: string): boolean {
  return EMPTY.has(word) || word.length < 2;
}

export function isKnownNoun(word: string, taxonomy: NounTaxonomy): boolean {
  return taxonomy.sensesOf(word).some((sense) => taxonomy.namesOf(sense).some((name) => name === word));
}
