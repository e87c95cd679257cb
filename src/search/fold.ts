const ASCII = /^[\0-\x7f]*$/;
/** Accents of Latin, Greek and Cyrillic letters. The marks of other scripts are vowels or tones and stay. */
const ACCENTS = /[\u0300-\u036f]/g;
const LETTERS_WITHOUT_DECOMPOSITION = /[ßæœøłđðþıħŧ]/g;
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
};

/**
 * Lower case without accents or compatibility forms (NFKD, then NFC again so that Hangul syllables and kana
 * stay whole). For one word: the time of normalization grows faster than the length of a run of marks.
 */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(LETTERS_WITHOUT_DECOMPOSITION, (letter) => SPELLED[letter]!)
    .replace(/[’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-')
    .normalize('NFC');
}
