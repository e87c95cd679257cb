import { type Span, sentenceSpans } from '../util/sentences.ts';
import { analyze } from './analyzer.ts';
import { BM25_OF_TURNS } from './lexical-index.ts';

/** In characters. A turn that is not longer is read whole. */
export const LONGEST_PASSAGE = 600;
/** A passage of at least this length ends with its paragraph. */
const LEAST_PARAGRAPH = 300;
const EMPTY_LINE = /\n[^\S\n]*\n/;
/** Longer texts are searched in their beginning alone. */
const MOST_SEARCHED = 100_000;

/** The passages of a text, in order: cut at the ends of paragraphs or sentences, or in a sentence that is longer. */
export function* passagesOf(text: string): Generator<Span> {
  let [start, end] = [0, 0];
  for (const sentence of sentenceSpans(text)) {
    const isFull = sentence.end - start > LONGEST_PASSAGE;
    if (end > start && (isFull || (end - start >= LEAST_PARAGRAPH && beginsParagraph(text, end)))) {
      yield { start, end };
      start = end;
    }
    end = sentence.end;
    while (end - start > LONGEST_PASSAGE) {
      const passage = { start, end: endInSentence(text, start) };
      yield passage;
      start = passage.end;
    }
  }
  if (end > start) yield { start, end };
}

/** After the last space, or the most characters where none is near. */
function endInSentence(text: string, start: number): number {
  const end = start + LONGEST_PASSAGE;
  const space = text.slice(start + LEAST_PARAGRAPH, end).lastIndexOf(' ');
  return space < 0 ? end : start + LEAST_PARAGRAPH + space + 1;
}

/** The empty line belongs to the sentence before it, or, after a full stop, to the one that follows. */
function beginsParagraph(text: string, at: number): boolean {
  return EMPTY_LINE.test(text.slice(Math.max(0, at - 3), at + 3));
}

/**
 * The passage of a long text that says most of the words of a question, without the white space around it; the first of
 * several. Null for a short text, and for one without the words.
 *
 * @param terms The index terms of the question with the weight of each.
 */
export function bestPassage(text: string, terms: ReadonlyMap<string, number>): Span | null {
  if (text.length <= LONGEST_PASSAGE || terms.size === 0) return null;
  let [best, most]: [Span | null, number] = [null, 0];
  for (const passage of passagesOf(text.slice(0, MOST_SEARCHED))) {
    const score = scoreOf(text.slice(passage.start, passage.end), terms);
    if (score > most) [best, most] = [passage, score];
  }
  return best === null ? null : trimmed(text, best);
}

function scoreOf(passage: string, terms: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>();
  for (const term of analyze(passage)) if (terms.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  let score = 0;
  for (const [term, count] of counts) score += (terms.get(term)! * count) / (count + BM25_OF_TURNS.k1);
  return score;
}

function trimmed(text: string, { start, end }: Span): Span {
  const words = text.slice(start, end);
  return { start: end - words.trimStart().length, end: start + words.trimEnd().length };
}
