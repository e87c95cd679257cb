import { type Sentence, withoutQuestion } from '../../../util/questions.ts';
import { sentenceSpans } from '../../../util/sentences.ts';
import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

export type { Sentence } from '../../../util/questions.ts';

const MAX_SENTENCE_LENGTH = 600;

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
  return (
    content
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
      // "A- in maths", "O- blood": the sign of a value.
      .replace(
        /(?<=[\p{L}\p{N}])(?<!(?<![\p{L}\p{N}])(?:[A-FO]|AB))- (?=\p{L})|(?<=\p{L}) -(?=\p{L})/gu,
        ' - ',
      )
      .replace(/…|\.{3,}/g, '. ')
      .replace(/[。！？](?=.)/g, (mark) => `${{ '。': '.', '！': '!' }[mark] ?? '?'} `)
      // "A 4* hotel": no emphasis ends there.
      .replace(
        /(?<!(?<= \d(?:[.,]\d)?)(?<!\*[^\n]{0,200}))\*{1,3}|(?<!\w)_{1,2}|_{1,2}(?!\w)|^[ \t]*(?:#{1,6}|[-•>]|\d{1,2}[.)])[ \t]+/gm,
        '',
      )
      .replace(/^([^\n:.!?]{1,60}):[ \t]+(?=\p{Lu}[\p{L}' ,]{20})(?!\p{Lu}\p{L}* \p{Lu})/gmu, '$1\n')
      .replace(/[^\S\n]+/g, ' ')
  );
}

/** Where the number of a list's item stands: in "Buy: 1. Flour. 2. Eggs." */
const ITEM_NUMBER = /(?:^|(?<=[:;,]))\s*\d{1,2}\.\s/;
/** What ends a sentence. A closing quote after the full stop is part of the sentence. */
const END = /(?<![.!?])[.!?]+["')\]]*$/;

function* splitLine(line: string): Generator<Sentence> {
  for (const { start, end } of sentenceSpans(line)) {
    const items = line.slice(start, end).trim().split(ITEM_NUMBER);
    const last = items.pop()!;
    for (const item of items) yield* toSentence(item, false);
    const marks = END.exec(last)?.[0] ?? '';
    yield* toSentence(
      last.slice(0, last.length - marks.length + marks.indexOf('"') + 1),
      marks.includes('?'),
    );
  }
}

function* toSentence(raw: string, isQuestion: boolean): Generator<Sentence> {
  const text = raw.trim().slice(0, MAX_SENTENCE_LENGTH);
  if (/[\p{L}\p{N}]/u.test(text)) yield* withoutQuestion(text, isQuestion);
}
