import type { Breather } from '../util/breathe.ts';

/** Characters that are read before others may get their turn. */
const LONGEST_PIECE = 8_192;

/** How often each term occurs, in the order of first occurrence. */
export function countTerms(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Whether a text is so long that others should get their turn while it is read. */
export function isLongText(text: string): boolean {
  return text.length > LONGEST_PIECE;
}

/** The same of a long text, which is read in pieces and lets others in. */
export async function countTermsGradually(
  text: string,
  analyze: (text: string) => readonly string[],
  breather: Breather,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    for (const term of analyze(text.slice(start, end))) counts.set(term, (counts.get(term) ?? 0) + 1);
    start = end;
    await breather.breathe();
  }
  return counts;
}

/** After a space or a line; in a text without any, between two characters. */
function pieceEnd(text: string, start: number): number {
  const end = start + LONGEST_PIECE;
  if (end >= text.length) return text.length;
  const gap = Math.max(text.lastIndexOf(' ', end - 1), text.lastIndexOf('\n', end - 1));
  if (gap > start + LONGEST_PIECE / 2) return gap + 1;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
