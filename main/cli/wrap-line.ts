import { stripVTControlCharacters } from 'node:util';

/** What begins a line of a list, before its text. */
const MARK = /^\s*(?:\d+\.\s+|[-•]\s+|\[\d+\]\s+)?/;
/** Between the columns of a table. */
const GAP = /\S\s{2,}(?=\S)/g;
/** Of the line at most: text that is indented deeper would get too narrow. */
const DEEPEST = 0.5;

/**
 * A line of text as lines of at most `width` characters, broken between words; a longer word gets a line of its own.
 * Continued lines are indented as far as the text of a list or the last column of a table.
 */
export function wrapLine(line: string, width: number): string[] {
  const shown = stripVTControlCharacters(line);
  if (shown.length <= width) return [line];
  const indent = ' '.repeat(depthOf(shown, DEEPEST * width));
  const lines: string[] = [];
  let current = '';
  for (const piece of line.split(/(?<=\S)(?=\s)/)) {
    if (current !== '' && lengthOf(current) + lengthOf(piece) > width) {
      lines.push(current);
      current = `${indent}${piece.trimStart()}`;
    } else current += piece;
  }
  return [...lines, current];
}

export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

function depthOf(line: string, deepest: number): number {
  const columns = Array.from(line.matchAll(GAP), ({ index, 0: gap }) => index + gap.length);
  const starts = [MARK.exec(line)![0].length, ...columns];
  return starts.findLast((start) => start <= deepest) ?? 0;
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
