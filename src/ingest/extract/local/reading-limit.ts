import { sentenceSpans } from '../../../util/sentences.ts';
import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

/** A sentence is also read in parts: between emoji, smileys and items. */
const PART_END = /\p{Extended_Pictographic}|(?<=\s)[:;]['-]?[()DPp](?=\s)|(?<=[:;,]\s{0,3})(?=\d{1,2}\.\s)/gu;
const WORD = /[\p{L}\p{N}]/u;

/** Where the read part of a turn ends: its length if it is read whole. */
export function readUpTo(content: string): number {
  // A sentence has a character at least.
  if (content.length <= MOST_SENTENCES_READ) return content.length;
  const text = content.slice(0, LONGEST_READ);
  let [sentences, start] = [0, 0];
  for (const end of endsOf(text)) {
    if (WORD.test(text.slice(start, end))) sentences += 1;
    if (sentences >= MOST_SENTENCES_READ) return end;
    start = end;
  }
  return text.length;
}

function* endsOf(text: string): Generator<number> {
  for (const { start, end } of sentenceSpans(text)) {
    for (const { index, 0: mark } of text.slice(start, end).matchAll(PART_END))
      yield start + index + mark.length;
    yield end;
  }
}
