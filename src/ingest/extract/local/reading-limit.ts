import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

/** Possible ends of a sentence: marks, line breaks, emoji and smileys. */
const SENTENCE_END =
  /(?<![.!?…])[.!?…]+(?=["'”’»)\]]{0,5}(?:\s|$))|[。！？]|\n|\p{Extended_Pictographic}|(?<=\s)[:;]['-]?[()DPp](?=\s)/gu;
const WORD = /[\p{L}\p{N}]/u;

/** The character up to which a turn is read: its length if it is read whole. */
export function readUpTo(content: string): number {
  const text = content.slice(0, LONGEST_READ);
  let [sentences, start] = [0, 0];
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    const end = index + mark.length;
    if (WORD.test(text.slice(start, end))) sentences += 1;
    if (sentences >= MOST_SENTENCES_READ) return end;
    start = end;
  }
  return text.length;
}
