import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

const MAX_SENTENCE_LENGTH = 600;

const ABBREVIATION =
  /(?:\b(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|vs|etc|[Ii]nc|[Ll]td|[Jj]r|[Ss]r|e\.g|i\.e|a\.m|p\.m|U\.S|approx)|(?<![\w'])[A-Z])\.$/;

export interface Sentence {
  /** Without its final punctuation. */
  readonly text: string;
  readonly isQuestion: boolean;
}

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
    .replace(/^([^\n:.!?]{1,60}):[ \t]+(?=\p{Lu}[\p{L}' ,]{20})/gmu, '$1\n')
    .replace(/[^\S\n]+/g, ' ');
}

/** Ends a sentence at . ! ? before a space; searches the marks one by one, so that the time is linear. */
function* splitLine(line: string): Generator<Sentence> {
  let start = 0;
  for (const match of line.matchAll(/(?<![.!?])[.!?]+["')\]]*(?=\s|$)/g)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && ABBREVIATION.test(line.slice(Math.max(0, end - 8), end)) && end < line.length)
      continue;
    yield* toSentence(line.slice(start, match.index + quoteEnd(match[0])), match[0].includes('?'));
    start = end;
  }
  yield* toSentence(line.slice(start), false);
}

/** A closing quote after the full stop is part of the sentence. */
function quoteEnd(marks: string): number {
  return marks.indexOf('"') + 1;
}

function* toSentence(raw: string, isQuestion: boolean): Generator<Sentence> {
  const text = raw.trim().slice(0, MAX_SENTENCE_LENGTH);
  if (/[\p{L}\p{N}]/u.test(text)) yield { text, isQuestion };
}
