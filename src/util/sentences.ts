/** From `start` up to, but excluding, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Marks that may end a sentence, with closing quotes and brackets. Runs match from their first character only. */
const STOP = /(?<![.!?…])[.!?…]+["'”’»)\]*_]{0,5}(?=\s|$)|[。！？]+[」』”’）]{0,3}|\n+/gu;
/** A closing bracket or quotation mark inside a sentence: '"Great!" she said'. */
const CLOSES = /["'”’»)\]]$/u;
/** A full stop after these ends no sentence: a name follows. */
const TITLE =
  /(?<![\p{L}\p{N}])(mrs?|ms|mx|mme|mlle|messrs|drs?|prof|mt|rev|gen|capt|cmdr|sgt|cpl|lt|maj|col|adm|gov|sen|pres|hon)\.$/iu;
/** A full stop after these ends no sentence: a word follows. */
const BEFORE_WORD = /(?<![\p{L}\p{N}])(?:vs|e\.g|i\.e|approx|ca|cf|incl)\.$/iu;
/** These end a sentence only before a word that begins one: "at Acme Inc. I like it", "at 5 p.m. We met". */
const BEFORE_ANY =
  /(?<![\p{L}\p{N}'’.])(?:ste?|ft|ave|rd|blvd|etc|dept|inc|ltd|co|corp|jr|sr|est|ph\.d|(?:\p{L}\.){0,3}\p{L})\.$/iu;
const BEFORE_NUMBER =
  /(?<![\p{L}\p{N}])(?:nos?|fig|vol|pp?|max|min|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$/iu;
const OPENER =
  /^\s+["'“‘(]?(?:I|I['’]\p{L}+|You|He|She|It|We|They|The|This|That|These|Those|There|Here|My|Your|His|Her|Its|Our|Their|And|But|So|Or|Then|Also|If|After|Before|Because|Since|While|However|Maybe|Yes|No|Not|Please|Thanks|Can|Could|Do|Does|Did|Is|Are|Was|Were|When|What|Where|Who|Why|How|Now|Today|Tomorrow|Tonight|Yesterday|Last|Next|In|On|At|For)(?![\p{L}\p{N}])/u;
/** The number of an item: "Buy: 1. Flour. 2. Eggs." */
const ITEM_NUMBER = /(?:^|[:;,])\s{0,3}\d{1,2}\.$/u;
/** No abbreviation and no number of an item is longer. */
const LONGEST_ABBREVIATION = 10;
/** No abbreviation ends with a longer run of letters. */
const LONG_WORD = /\p{L}{7}\.$/u;

/** Whether the full stop before `end` belongs to an abbreviation and does not end a sentence. */
export function isAbbreviation(text: string, end: number): boolean {
  if (text[end - 1] !== '.') return false;
  const before = text.slice(Math.max(0, end - LONGEST_ABBREVIATION), end);
  if (LONG_WORD.test(before)) return false;
  const after = text.slice(end, end + 16);
  const title = TITLE.exec(before)?.[1];
  // "Dr. Who" is a name; "I saw my dr. He is nice." are two sentences.
  if (title !== undefined) return /^\p{Lu}/u.test(title) || !OPENER.test(after);
  if (BEFORE_WORD.test(before)) return true;
  if (BEFORE_NUMBER.test(before)) return /^\s\d/.test(after);
  // "It was I." ends; a single letter alone is no initial in lower case.
  return BEFORE_ANY.test(before) && !/(?<![\p{L}\p{N}.])(?:I|\p{Ll})\.$/u.test(before) && !OPENER.test(after);
}

/**
 * The sentences of a text, in order; concatenated they give it. A sentence ends at . ! ? … before white space, at the
 * full stops of Chinese and Japanese, and at a line's end. The number of an item belongs to the item.
 *
 * @param options.everyStop Whether abbreviations and numbers end sentences too. Default false.
 */
export function* sentenceSpans(text: string, { everyStop = false } = {}): Generator<Span> {
  let [start, read] = [0, 0];
  for (const { index, 0: mark } of text.matchAll(STOP)) {
    const end = index + mark.length;
    if (text.slice(read, index).trim() === '') {
      read = end;
      continue;
    }
    if (!everyStop && isInside(text, { start, end, mark })) continue;
    read = end;
    yield { start, end };
    start = end;
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Whether the sentence goes on after the mark before `end`. */
function isInside(text: string, { start, end, mark }: Span & { readonly mark: string }): boolean {
  if (mark === '.') {
    if (end === text.length) return false;
    const from = Math.max(start, end - LONGEST_ABBREVIATION);
    const number = ITEM_NUMBER.exec(text.slice(from, end));
    return (number !== null && (number.index > 0 || from === start)) || isAbbreviation(text, end);
  }
  return CLOSES.test(mark) && /^[^\S\n]+\p{Ll}/u.test(text.slice(end, end + 4));
}

/** The sentences of a text without the white space around them. */
export function sentencesOf(text: string): string[] {
  return Array.from(sentenceSpans(text), ({ start, end }) => text.slice(start, end).trim()).filter(
    (sentence) => sentence !== '',
  );
}

/** The first of the sentences; empty if there is none. */
export function firstSentence(text: string): string {
  const { end } = sentenceSpans(text).next().value ?? { end: 0 };
  return text.slice(0, end).trim();
}
