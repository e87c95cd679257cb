/** From `start` up to, but excluding, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Marks that may end a sentence, with closing quotes and brackets. Runs match from their first character only. */
const STOP = /(?<![.!?…])[.!?…]+["'”’»)\]*_]{0,5}(?=\s|$)|[。！？]+[」』”’）]{0,3}|\n+/gu;
/** A full stop after these ends no sentence: a name or a word follows. */
const BEFORE_NAME =
  /(?<![\p{L}\p{N}])(?:mrs?|ms|mx|dr|drs|prof|mt|rev|gen|capt|sgt|lt|col|gov|sen|hon|vs|e\.g|i\.e|approx|ca|cf|incl)\.$/iu;
/** These end a sentence only before a word that begins one: "at Acme Inc. I like it", "at 5 p.m. We met". */
const BEFORE_ANY =
  /(?<![\p{L}\p{N}'’.])(?:st|ave|rd|blvd|etc|dept|inc|ltd|co|corp|jr|sr|est|[ap]\.m|u\.s|ph\.d|m\.d|b\.a|\p{Lu}|\p{Lu}\.\p{Lu})\.$/iu;
const BEFORE_NUMBER =
  /(?<![\p{L}\p{N}])(?:nos?|fig|vol|pp?|max|min|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$/iu;
const OPENER =
  /^\s+["'“‘(]?(?:I|I['’]\p{L}+|You|He|She|It|We|They|The|This|That|These|Those|There|My|Your|His|Her|Its|Our|Their|And|But|So|Then|Yes|No|When|What|Where|Who|Why|How|Now|Today|Yesterday|Last)(?![\p{L}\p{N}])/u;
/** No abbreviation is longer. */
const LONGEST_ABBREVIATION = 10;

/** Whether the full stop before `end` belongs to an abbreviation and does not end a sentence. */
export function isAbbreviation(text: string, end: number): boolean {
  if (text[end - 1] !== '.') return false;
  const before = text.slice(Math.max(0, end - LONGEST_ABBREVIATION), end);
  const after = text.slice(end, end + 16);
  if (BEFORE_NAME.test(before)) return true;
  if (BEFORE_NUMBER.test(before)) return /^\s\d/.test(after);
  // "It was I." ends; a single letter alone is no initial in lower case.
  return BEFORE_ANY.test(before) && !/(?<![\p{L}\p{N}.])(?:I|\p{Ll})\.$/u.test(before) && !OPENER.test(after);
}

/**
 * The sentences of a text, in order; concatenated they give it. A sentence ends at . ! ? … before white space, at the
 * full stops of Chinese and Japanese, and at a line's end.
 *
 * @param options.everyStop Whether abbreviations end sentences too. Default false.
 */
export function sentenceSpans(text: string, { everyStop = false } = {}): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(STOP)) {
    const end = index + mark.length;
    if (!everyStop && mark === '.' && end < text.length && isAbbreviation(text, end)) continue;
    if (text.slice(start, index).trim() === '') continue;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}

/** The sentences of a text without the white space around them. */
export function sentencesOf(text: string): string[] {
  return sentenceSpans(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => sentence !== '');
}
