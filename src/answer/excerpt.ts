import type { Passage } from '../model/retrieved-item.ts';
import { type Span, sentenceSpans } from '../util/sentences.ts';

/** Words of a question that say nothing about its topic are short, or among these. */
const COMMON = new Set(
  'what when where which whose does have with that this from they them their about were your will would could should there been'.split(
    ' ',
  ),
);
const WORD = /[\p{L}\p{N}]{4,}|\p{N}+/gu;
/** Forms of a word share their beginning: "moved", "moving". */
const STEM = 5;
/** Longer texts are searched in their beginning alone. */
const MOST_SEARCHED = 100_000;
/** A longer sentence, such as a line of data, is read in pieces. */
const LONGEST_PIECE = 80;
const LEFT_OUT = '[…]';

/** How much of a text is shown, and of what. */
interface ExcerptOptions {
  readonly longest: number;
  readonly question: string;
  /** The part that says most of what is asked. */
  readonly passage?: Passage | undefined;
}

/**
 * The sentences of a long text that say most of the words of a question, with what follows them, at most `longest`
 * characters in all; "[…]" marks what is left out. Of a text without such words the beginning, or, where there is room
 * for more, the whole text, of which the caller shows the beginning and the end. A short text is returned whole.
 */
export function excerpt(text: string, { longest, question, passage }: ExcerptOptions): string {
  if (text.length <= longest) return text;
  const read = text.slice(0, MOST_SEARCHED);
  const pieces = piecesOf(read);
  const worth = worthOf(read, pieces, { question, passage });
  if (worth === null) return longest < LEAST_WITH_END ? beginningOf(text, longest - MARK) : text;
  let [shown, shownTo] = ['', 0];
  for (const at of bestPieces(pieces, worth, longest)) {
    const { start, end } = pieces[at]!;
    const words = text.slice(start, Math.min(end, start + longest - 2 * MARK));
    const mark = shown === '' ? LEFT_OUT : ` ${LEFT_OUT}`;
    shown = start > shownTo ? `${shown.trimEnd()}${mark} ${words.trimStart()}` : shown + words;
    shownTo = end;
  }
  return `${shown.trimEnd()}${shownTo < text.length ? ` ${LEFT_OUT}` : ''}`;
}

/** A shorter excerpt has no room for beginning and end. */
const LEAST_WITH_END = 400;

function beginningOf(text: string, longest: number): string {
  const space = text.lastIndexOf(' ', longest);
  return `${text.slice(0, space > longest / 2 ? space : longest).trimEnd()} ${LEFT_OUT}`;
}

/** The sentences of a text, long ones in pieces that end at a space. */
function piecesOf(text: string): readonly Span[] {
  const pieces: Span[] = [];
  for (const { start, end } of sentenceSpans(text)) {
    let from = start;
    while (end - from > LONGEST_PIECE) {
      const space = text.lastIndexOf(' ', from + LONGEST_PIECE);
      const to = space > from ? space + 1 : from + LONGEST_PIECE;
      pieces.push({ start: from, end: to });
      from = to;
    }
    if (end > from) pieces.push({ start: from, end });
  }
  return pieces;
}

/**
 * What each piece has of the question's words, rare ones of the text counting most; null if none has any and no
 * passage is known.
 */
function worthOf(
  text: string,
  pieces: readonly Span[],
  { question, passage }: Pick<ExcerptOptions, 'question' | 'passage'>,
): readonly Worth[] | null {
  const asked = new Set(stemsIn(question));
  const stems = pieces.map(
    ({ start, end }) => new Set(stemsIn(text.slice(start, end)).filter((stem) => asked.has(stem))),
  );
  const counts = new Map<string, number>();
  for (const own of stems) for (const stem of own) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  if (counts.size === 0 && passage === undefined) return null;
  return stems.map((own, at) => {
    const { start } = pieces[at]!;
    const isBest = passage !== undefined && start >= passage.start - 1 && start < passage.end;
    const factor = isBest ? IN_PASSAGE : 1;
    const words = [...own].map((stem) => [stem, factor / Math.sqrt(counts.get(stem)!)] as const);
    return new Map(isBest && counts.size === 0 ? [['', LEAST]] : words);
  });
}
/** The weights of a piece's words, by stem. */
type Worth = ReadonlyMap<string, number>;
const IN_PASSAGE = 1.5;
/** What a piece of the passage is worth where the question has no word of the text. */
const LEAST = 0.01;
/** Share of a word's weight where a chosen piece has it already. */
const TOLD = 0.3;
/** Share of a chosen piece's value that the piece after it gets, and the one before. */
const AFTER = 0.4;
const BEFORE = 0.2;
const MOST_TRIES = 40;

/** Places of the best pieces, in the order of the text. */
function bestPieces(pieces: readonly Span[], worth: readonly Worth[], longest: number): readonly number[] {
  /** The value of each chosen piece. */
  const kept = new Map<number, number>();
  const told = new Set<string>();
  const open = new Set(pieces.keys());
  let room = longest - 2 * MARK;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    let [best, most] = [-1, 0];
    for (const at of open) {
      const near = Math.max(AFTER * (kept.get(at - 1) ?? 0), BEFORE * (kept.get(at + 1) ?? 0));
      const value = near + sumOf(worth[at]!, told);
      if (value > most) [best, most] = [at, value];
    }
    if (best < 0) break;
    open.delete(best);
    const { start, end } = pieces[best]!;
    const needed = end - start + (kept.has(best - 1) || kept.has(best + 1) ? 0 : MARK);
    if (needed > room && kept.size > 0) continue;
    room -= needed;
    kept.set(best, most);
    for (const stem of worth[best]!.keys()) told.add(stem);
  }
  return [...kept.keys()].sort((a, b) => a - b);
}
/** Characters of a mark with its spaces. */
const MARK = LEFT_OUT.length + 2;

function sumOf(worth: Worth, told: ReadonlySet<string>): number {
  let sum = 0;
  for (const [stem, weight] of worth) sum += told.has(stem) ? TOLD * weight : weight;
  return sum;
}

function stemsIn(text: string): string[] {
  const words: string[] = text.toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, STEM));
}
