import { sentenceSpans } from '../util/sentences.ts';

/** Words of a question that say nothing about its topic are short, or among these. */
const COMMON = new Set(
  'what when where which whose does have with that this from they them their about were your will would could should there been'.split(
    ' ',
  ),
);
const WORD = /[\p{L}\p{N}]{4,}/gu;
/** Forms of a word share their beginning: "moved", "moving". */
const STEM = 5;
/** Longer texts are searched in their beginning alone. */
const MOST_SEARCHED = 100_000;
const LEFT_OUT = ' […] ';

/**
 * The part of a long text around the words of a question: the passage of at most `longest` characters that has the most
 * distinct ones, from the beginning of a sentence. A short text is returned whole, as is one without such words, of
 * which the caller shows the beginning and the end.
 */
export function excerpt(
  text: string,
  { longest, question }: { readonly longest: number; readonly question: string },
): string {
  if (text.length <= longest) return text;
  const stems = stemsOf(question);
  if (stems.length === 0) return text;
  const matches = matchesIn(text.slice(0, MOST_SEARCHED), stems);
  if (matches.length === 0) return text;
  const room = longest - 2 * LEFT_OUT.length;
  const from = sentenceStart(text, bestStart(matches, room), room);
  const to = Math.min(text.length, from + room);
  const before = from === 0 ? '' : LEFT_OUT.trimStart();
  return `${before}${text.slice(from, to).trim()}${to === text.length ? '' : LEFT_OUT.trimEnd()}`;
}

function stemsOf(question: string): string[] {
  const words = (question.toLowerCase().match(WORD) ?? []).filter((word) => !COMMON.has(word));
  return [...new Set(words.map((word) => word.slice(0, STEM)))];
}

interface Match {
  readonly stem: string;
  readonly at: number;
}

function matchesIn(text: string, stems: readonly string[]): Match[] {
  const wanted = new Set(stems);
  return [...text.toLowerCase().matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const stem = word.slice(0, STEM);
    return wanted.has(stem) ? [{ stem, at: index }] : [];
  });
}

/** The match that begins the passage with the most distinct stems; the first of several. */
function bestStart(matches: readonly Match[], room: number): number {
  let [best, most] = [matches[0]!.at, 0];
  let end = 0;
  const inside = new Map<string, number>();
  for (const { stem, at } of matches) {
    while (end < matches.length && matches[end]!.at - at < room / 2) {
      const next = matches[end++]!.stem;
      inside.set(next, (inside.get(next) ?? 0) + 1);
    }
    if (inside.size > most) [best, most] = [at, inside.size];
    const left = inside.get(stem)! - 1;
    if (left === 0) inside.delete(stem);
    else inside.set(stem, left);
  }
  return best;
}

/** Where the passage begins: a sentence or two before the match, or a third of the room where there is no end of one. */
function sentenceStart(text: string, at: number, room: number): number {
  const earliest = Math.max(0, at - Math.floor(room / 3));
  if (earliest === 0) return 0;
  const { end } = sentenceSpans(text.slice(earliest, at)).next().value ?? { end: 0 };
  return earliest + end < at ? earliest + end : earliest;
}
