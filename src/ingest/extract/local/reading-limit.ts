/**
 * How much of one turn the local tier reads for entities, facts and its summary: up to this number of characters, and
 * of sentences or lines with words. About 25 pages of prose are read whole. The rest is stored and searchable, and
 * the outcome of `add` reports where reading ends.
 */
export const LONGEST_READ = 60_000;
export const MOST_SENTENCES_READ = 1_500;

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
