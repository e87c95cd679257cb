/** A passage of a document, as long as a turn may well be. */
export interface Passage {
  /** The headings that it stands under, from the outermost. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Line of the body at which it begins, from 1. */
  readonly line: number;
}

/** Paragraphs under one heading are put together up to so many characters. */
const PASSAGE_LENGTH = 1_500;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;

/** Splits Markdown by its headings, then by paragraphs; what is fenced in stays whole. Plain text has no headings. */
export function splitDocument(body: string, { isMarkdown }: { isMarkdown: boolean }): Passage[] {
  const passages: Passage[] = [];
  for (const block of blocksOf(body.split('\n'), isMarkdown)) {
    const open = passages.at(-1);
    const goesOn = open !== undefined && open.headings.join('\n') === block.headings.join('\n');
    if (goesOn && open.text.length + block.text.length < PASSAGE_LENGTH)
      passages[passages.length - 1] = { ...open, text: `${open.text}\n\n${block.text}` };
    else passages.push(block);
  }
  return passages;
}

function* blocksOf(lines: readonly string[], isMarkdown: boolean): Generator<Passage> {
  const headings: { level: number; title: string }[] = [];
  let [paragraph, start, fence]: [string[], number, string | null] = [[], 1, null];
  const finish = function* (): Generator<Passage> {
    const text = paragraph.join('\n').trimEnd();
    if (text.trim() !== '') yield { headings: headings.map(({ title }) => title), text, line: start };
    paragraph = [];
  };
  for (const [position, line] of lines.entries()) {
    const mark: string | undefined = isMarkdown ? FENCE.exec(line)?.[1] : undefined;
    const heading: Heading | null = isMarkdown && fence === null ? headingOf(line, paragraph) : null;
    if (fence === null && line.trim() === '') yield* finish();
    else if (heading !== null) {
      if (heading.isUnderlined) paragraph = [];
      yield* finish();
      while ((headings.at(-1)?.level ?? 0) >= heading.level) headings.pop();
      headings.push(heading);
    } else {
      if (paragraph.length === 0) start = position + 1;
      paragraph.push(line);
    }
    if (mark !== undefined && fence === null) fence = mark;
    else if (mark !== undefined && fence !== null && mark.startsWith(fence)) fence = null;
  }
  yield* finish();
}

interface Heading {
  readonly level: number;
  readonly title: string;
  readonly isUnderlined: boolean;
}

function headingOf(line: string, paragraph: readonly string[]): Heading | null {
  const marked = HEADING.exec(line);
  if (marked !== null) return { level: marked[1]!.length, title: marked[2]!, isUnderlined: false };
  const underline = UNDERLINE.exec(line);
  if (underline === null || paragraph.length !== 1) return null;
  return { level: underline[1]!.startsWith('=') ? 1 : 2, title: paragraph[0]!.trim(), isUnderlined: true };
}
