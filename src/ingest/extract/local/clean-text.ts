import { type Sentence, withoutQuestion } from '../../../util/questions.ts';
import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

export type { Sentence } from '../../../util/questions.ts';

const MAX_SENTENCE_LENGTH = 600;

const ABBREVIATION =
  /(?:\b(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Mm]t|[Aa]ve|[Rr]d|[Bb]lvd|[Rr]ev|[Gg]en|[Cc]apt|[Ss]gt|[Ll]t|[Cc]ol|[Gg]ov|vs|etc|[Dd]ept|[Ii]nc|[Ll]td|[Cc]o|[Jj]r|[Ss]r|e\.g|i\.e|a\.m|p\.m|U\.S|[Aa]pprox|ca|cf|incl|[Ee]st|[Pp]h\.D)|(?<![\w'])[A-Z])\.$/;
/** Abbreviations before a number only: "No. 7", "Jan. 3"; otherwise they end a sentence. */
const BEFORE_NUMBER =
  /\b(?:[Nn]os?|[Ff]ig|[Vv]ol|[Pp]p?|[Mm]ax|[Mm]in|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/;

/**
 * Splits a turn's text into plain sentences: without control characters, lone surrogates, emoji, links, code and
 * Markdown marks, and with plain quotes and dashes only. Reads the first `LONGEST_READ` characters and `most`
 * sentences.
 */
export function toSentences(content: string, most = MOST_SENTENCES_READ): Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of cleanText(content).split('\n')) {
    for (const sentence of splitLine(line)) {
      if (sentences.length >= most) return sentences;
      sentences.push(sentence);
    }
  }
  return sentences;
}

export function cleanText(content: string): string {
  return content
    .slice(0, LONGEST_READ)
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\ufeff\ufffd]/gu, ' ')
    .replace(/\bhttps?:\/\/\S{1,2000}/gi, ' ')
    .replace(/[\u2018\u2019\u02bc`´]/g, "'")
    .replace(/[\u201c\u201d\u201e«»「」『』《》]/g, '"')
    .replace(
      /\p{Extended_Pictographic}(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f| )*/gu,
      '\n',
    )
    .replace(/(?<=\s|^)[:;][-']?[()DPp](?=\s|$)/gm, '\n')
    .replace(/[–—―]|(?<=\S)--(?=\S)/g, ' - ')
    .replace(/(?<=[\p{L}\p{N}])- (?=\p{L})|(?<=\p{L}) -(?=\p{L})/gu, ' - ')
    .replace(/…|\.{3,}/g, '. ')
    .replace(/[。！？](?=.)/g, (mark) => `${{ '。': '.', '！': '!' }[mark] ?? '?'} `)
    .replace(/\*{1,3}|(?<!\w)_{1,2}|_{1,2}(?!\w)|^[ \t]*(?:#{1,6}|[-•>]|\d{1,2}[.)])[ \t]+/gm, '')
    .replace(/^([^\n:.!?]{1,60}):[ \t]+(?=\p{Lu}[\p{L}' ,]{20})(?!\p{Lu}\p{L}* \p{Lu})/gmu, '$1\n')
    .replace(/[^\S\n]+/g, ' ');
}

/** Ends a sentence at . ! ? before a space; searches the marks one by one, so that the time is linear. */
function* splitLine(line: string): Generator<Sentence> {
  let start = 0;
  for (const match of line.matchAll(/(?<![.!?])[.!?]+["')\]]*(?=\s|$)/g)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && end < line.length) {
      const numbered = listNumberAt(line, start, end);
      if (numbered !== null) {
        yield* toSentence(line.slice(start, numbered), false);
        start = end;
        continue;
      }
      if (isAbbreviated(line, end)) continue;
    }
    yield* toSentence(line.slice(start, match.index + quoteEnd(match[0])), match[0].includes('?'));
    start = end;
  }
  yield* toSentence(line.slice(start), false);
}

function isAbbreviated(line: string, end: number): boolean {
  const before = line.slice(Math.max(0, end - 8), end);
  return ABBREVIATION.test(before) || (BEFORE_NUMBER.test(before) && /^\s\d/.test(line.slice(end, end + 2)));
}

/** Where the number of a list's item starts that ends here: before "2." in "Buy: 1. Flour. 2. Eggs."; null if none does. */
function listNumberAt(line: string, start: number, end: number): number | null {
  const found = /(?:^|\s)(\d{1,2})\.$/.exec(line.slice(Math.max(start, end - 4), end));
  if (found === null) return null;
  const from = end - 1 - found[1]!.length;
  const before = line.slice(start, from).trimEnd();
  return before === '' || /[:;,]$/.test(before) ? from : null;
}

/** A closing quote after the full stop is part of the sentence. */
function quoteEnd(marks: string): number {
  return marks.indexOf('"') + 1;
}

function* toSentence(raw: string, isQuestion: boolean): Generator<Sentence> {
  const text = raw.trim().slice(0, MAX_SENTENCE_LENGTH);
  if (/[\p{L}\p{N}]/u.test(text)) yield* withoutQuestion(text, isQuestion);
}
