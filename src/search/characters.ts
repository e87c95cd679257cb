/** What a character is to the analyzer. */
export const SEPARATOR = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** A character of a script written without spaces; see analyzer.ts. */
export const IDEOGRAPH = 3;
export const EMOJI = 4;
export const REGIONAL_INDICATOR = 5;
/** Apostrophe, hyphen, full stop …: part of a word when it stands alone between two letters or digits. */
export const JOINER = 6;
/** A combining mark, part of the letter before it. */
export const MARK = 7;

const UNKNOWN = 255;
const JOINERS = /^['’ʼ＇\-‐‑._@:,/&+]$/u;
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆ｰﾞﾟ]$/u;

/** The classes of the code points below U+10000, found once each. */
const classes = new Uint8Array(65_536).fill(UNKNOWN);

export function characterClass(codePoint: number): number {
  if (codePoint >= 65_536) return classify(codePoint);
  const known = classes[codePoint]!;
  if (known !== UNKNOWN) return known;
  const found = classify(codePoint);
  classes[codePoint] = found;
  return found;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (JOINERS.test(character)) return JOINER;
  if (UNSPACED.test(character)) return IDEOGRAPH;
  if (/^\p{N}$/u.test(character)) return DIGIT;
  if (/^\p{L}$/u.test(character)) return LETTER;
  if (/^\p{Regional_Indicator}$/u.test(character)) return REGIONAL_INDICATOR;
  if (codePoint > 127 && /^\p{Extended_Pictographic}$/u.test(character)) return EMOJI;
  if (/^\p{M}$/u.test(character) && !/^\p{Variation_Selector}$/u.test(character)) return MARK;
  return SEPARATOR;
}
