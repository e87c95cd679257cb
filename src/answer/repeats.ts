const WORD = /\p{L}{3,}|\p{N}+/gu;
/** Short words that say little; longer ones of this kind are too few to matter. */
const COMMON = new Set(
  'the and for was has had have are but not you your she her his him they their its our with that this from who did too'.split(
    ' ',
  ),
);
/** "Loves" and "loved" repeat "love"; of Latin, Greek and Cyrillic letters, which come before this code. */
const STEM = 4;
const INFLECTED_BEFORE = 0x530;
/** If a text has this share of the words of another, it repeats it. */
const REPEATED = 0.8;

/** The distinct words of a text, for comparing what texts say; forms of a word count as one. */
export type ToldWords = ReadonlySet<string>;

export function toldWords(text: string): ToldWords {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(WORD) ?? [])
    if (!COMMON.has(word))
      words.add(/^\d/.test(word) || word.charCodeAt(0) >= INFLECTED_BEFORE ? word : word.slice(0, STEM));
  return words;
}

/**
 * Whether another text says what a text says: it has nearly all of its words. `without` are words that do not count,
 * such as the name of the speaker, who calls himself "I".
 */
export function repeats(text: ToldWords, other: ToldWords, without: ToldWords): boolean {
  let [counted, found] = [0, 0];
  for (const word of text) {
    if (without.has(word)) continue;
    counted++;
    if (other.has(word)) found++;
  }
  return counted > 0 && found / counted >= REPEATED;
}
