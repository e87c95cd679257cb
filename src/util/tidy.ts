/** Printable ASCII with single spaces inside, of which a key differs only in case. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** A comparison key: names that differ only in case, accents, width or spacing have equal keys. */
export function entityNameKey(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

const LEADING = /^(?:(?:the|an?|my|your|his|her|its|our|their)\s+)+(?=\S)/;
const QUOTES = /^["'“”‘’«»`*_\s]+|["'“”‘’«»`*_\s]+$/gu;
const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
const POSSESSIVE = /['’]s$/;
const PRONOUN =
  /^(?:i|me|myself|you|yourself|he|him|himself|she|her|herself|it|itself|we|us|they|them|this|that|these|those|who|someone|somebody|everyone|something|none|n\/a|null|unknown|-)$/i;

const LONGEST_NAME = 100;

/** Puts a text on one line and removes control characters and lone surrogates. */
export function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\u{e0000}-\u{e007f}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A name without quotes, article or possessive; null if the text is not a name. */
export function tidyName(text: string): string | null {
  // Bounds the input, because some patterns rescan every run of quotes from each position.
  const name = tidy(text.slice(0, 2 * LONGEST_NAME))
    .replace(QUOTES, '')
    .replace(LEADING, '')
    .replace(POSSESSIVE, '')
    .trim();
  if (name.length > LONGEST_NAME || !/[\p{L}\p{N}]/u.test(name) || PRONOUN.test(name)) return null;
  return name;
}

/** Cuts after the last whole sentence, else after the last whole word. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest - 1);
  const sentence = Math.max(...['. ', '! ', '? ', '。'].map((end) => head.lastIndexOf(end)));
  if (sentence > longest / 2) return head.slice(0, sentence + 1);
  const word = head.lastIndexOf(' ');
  return `${head.slice(0, word > longest / 2 ? word : longest - 1).toWellFormed()}…`;
}

/** Whether a text contains the words, as whole words in scripts with spaces; ignores case and accents. */
export function says(text: string, words: string): boolean {
  return keySays(entityNameKey(text), entityNameKey(words));
}

/** As `says`, for name keys. */
export function keySays(text: string, words: string): boolean {
  if (words === '') return false;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    // Slices only the neighbouring characters: a long text may contain a short word at every position.
    const [before, after] = [text.slice(Math.max(0, at - 1), at), text.slice(end, end + 3)];
    if (!joins(before, words) && !joins(words, after.replace(/^'?s(?![\p{L}\p{N}])/u, ''))) return true;
  }
  return false;
}

/** Whether the end of one text and the start of the next would form one word. */
function joins(left: string, right: string): boolean {
  return LETTER.test(left.slice(-1)) && LETTER.test(right.slice(0, 1));
}

export const MAX_TAGS = 5;
const MAX_TAG_WORDS = 3;
const MAX_TAG_LENGTH = 60;
/** Only this many tags of a reply are read. */
const MOST_READ = 50;

/**
 * The first few short tags, without duplicates.
 *
 * @param onLeftOut Receives why tags were left out, and how many.
 */
export function tidyTags(
  tags: readonly string[],
  onLeftOut: (reason: 'empty' | 'too-much', count: number) => void = () => undefined,
): string[] {
  const distinct = new Map<string, string>();
  const left = { empty: 0, 'too-much': Math.max(0, tags.length - MOST_READ) };
  for (const tag of tags.slice(0, MOST_READ).map((each) => tidy(each.slice(0, 2 * MAX_TAG_LENGTH)))) {
    const isLong = tag.split(' ').length > MAX_TAG_WORDS || tag.length > MAX_TAG_LENGTH;
    if (tag === '' || isLong) left[isLong ? 'too-much' : 'empty']++;
    else if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  }
  left['too-much'] += Math.max(0, distinct.size - MAX_TAGS);
  for (const reason of ['empty', 'too-much'] as const) if (left[reason] > 0) onLeftOut(reason, left[reason]);
  return [...distinct.values()].slice(0, MAX_TAGS);
}

/** The text with its first letter in upper case. */
export function capitalized(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  return text === '' ? text : first.toUpperCase() + text.slice(first.length);
}
