/** Words of three letters and fewer, numbers aside, are in every text. */
const WORD = /[\p{L}]{4,}|\p{N}+/gu;
/** "Loves" and "loved" repeat "love". */
const STEM = 4;
/** The share of a text's words that another has, from which it repeats it. */
const REPEATED = 0.8;

/** The distinct words of a text, for comparing what texts say; forms of a word count as one. */
export type ToldWords = ReadonlySet<string>;

export function toldWords(text: string): ToldWords {
  return new Set((text.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, STEM)));
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
  return counted === 0 || found / counted >= REPEATED;
}
