/**
 * How much of one turn the local tier reads for entities, facts and its summary: so many characters, and so many
 * sentences or lines with words, whichever comes first. Some 25 pages of prose are read whole. What lies beyond is
 * stored and found by search, and the outcome of `add` says where reading ends.
 */
export const LONGEST_READ = 60_000;
export const MOST_SENTENCES_READ = 1_500;

/** Whatever may end a sentence: marks, lines, emoji and smileys. */
const SENTENCE_END =
  /(?<![.!?…])[.!?…]+(?=["'”’»)\]]{0,5}(?:\s|$))|[。！？]|\n|\p{Extended_Pictographic}|(?<=\s)[:;]['-]?[()DPp](?=\s)/gu;
const WORD = /[\p{L}\p{N}]/u;

/** Up to which character a turn is read: its length where it is read whole. */
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
