import type { Steps } from '../../../util/breathe.ts';
import { foldText } from '../fold-text.ts';

export const CITATION = /\[\d{1,3}\]/g;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
/** Scripts without spaces between words: each character by itself. */
const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const WORDS = new RegExp(String.raw`[${SPACELESS}]|(?:(?![${SPACELESS}])[\p{L}\p{M}\p{N}])+`, 'gu');
const ONE_SPACELESS = new RegExp(`^[${SPACELESS}]$`, 'u');

/** The words of a text as they are compared: folded, without punctuation, apostrophes and citation numbers. */
export function normalWords(text: string): readonly string[] {
  const folded = foldText(text.replace(CITATION, ' ')).replaceAll("'", '');
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? [];
}

/** A text of more characters is read in pieces of so many, and somewhat more. */
const LONG = 8_192;
/** No word and no character goes on over such a place, whatever it is folded to. */
const CUT = /[ \n\p{Script=Han}](?=[A-Za-z0-9\p{Script=Han}])/gu;

/** As `normalWords`, in steps. */
export function* readWords(text: string): Steps<readonly string[]> {
  if (text.length <= LONG) return normalWords(text);
  const words: string[] = [];
  for (let start = 0; start < text.length; ) {
    CUT.lastIndex = start + LONG;
    const end = CUT.exec(text) === null ? text.length : CUT.lastIndex;
    for (const word of normalWords(text.slice(start, end))) words.push(word);
    start = end;
    yield;
  }
  return words;
}

/** How many words that is; two characters of a script without spaces are one. */
export function countWords(words: readonly string[]): number {
  const single = words.filter((word) => word > '\x7f' && word.length <= 2 && ONE_SPACELESS.test(word));
  return words.length - single.length + Math.ceil(single.length / 2);
}

/** How much of a word that is: a character of a script without spaces is half of one. */
export function wordWeight(word: string): number {
  return word > '\x7f' && ONE_SPACELESS.test(word) ? 0.5 : 1;
}
