import { MAX_CONTENT_LENGTH } from '../model/turn-input.ts';

/** Characters of a part. Only texts of more than 250,000 characters are split (`MAX_CONTENT_LENGTH`). */
const PART_LENGTH = 200_000;

/** Splits at the end of a paragraph, a line or a sentence if possible. */
export function partsOf(content: string): string[] {
  const parts: string[] = [];
  let rest = content;
  while (rest.length > MAX_CONTENT_LENGTH) {
    const head = rest.slice(0, PART_LENGTH);
    const ends = ['\n\n', '\n', '. '].map((end) => head.lastIndexOf(end) + end.length);
    const cut = ends.find((end) => end > PART_LENGTH / 2) ?? wholeCharacters(head);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** Never splits a surrogate pair. */
export function wholeCharacters(head: string): number {
  return /[\ud800-\udbff]$/.test(head) ? head.length - 1 : head.length;
}
