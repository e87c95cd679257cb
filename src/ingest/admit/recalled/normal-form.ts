import { foldText } from '../fold-text.ts';

export const CITATION = /\[\d{1,3}\]/g;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
/** Scripts without spaces between words: each character by itself. */
const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const WORDS = new RegExp(String.raw`[${SPACELESS}]|(?:(?![${SPACELESS}])[\p{L}\p{M}\p{N}])+`, 'gu');
const ONE_SPACELESS = new RegExp(`^[${SPACELESS}]$`, 'u');
const ANY_SPACELESS = new RegExp(`[${SPACELESS}]`, 'u');

/** The words of a text as they are compared: folded, without punctuation, apostrophes and citation numbers. */
export function normalWords(text: string): readonly string[] {
  const folded = foldText(text.replace(CITATION, ' ')).replaceAll("'", '');
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? [];
}

/** How many words that is; two characters of a script without spaces are one. */
export function countWords(words: readonly string[]): number {
  const single = words.filter(
    (word) => word > '\x7f' && ANY_SPACELESS.test(word) && ONE_SPACELESS.test(word),
  );
  return words.length - single.length + Math.ceil(single.length / 2);
}

/** How much of a word that is: a character of a script without spaces is half of one. */
export function wordWeight(word: string): number {
  return word > '\x7f' && ONE_SPACELESS.test(word) ? 0.5 : 1;
}
