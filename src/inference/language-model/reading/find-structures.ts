/** A JSON object or array in a text, found by its brackets. */
export interface Structure {
  /** The JSON as it stands, or its whole parts with the brackets closed if it breaks off. */
  readonly json: string;
  readonly start: number;
  /** False if the text ends inside it. */
  readonly whole: boolean;
  /** It lies inside one that breaks off: either a part of that one, or that one was a bracket of the prose. */
  readonly inner: boolean;
}

/** An object or array that is still open, and how far its content is whole. */
interface Frame {
  readonly closer: '}' | ']';
  wholeTo: number;
  /** In an object: between a colon and the value's end. */
  awaitsValue: boolean;
}

/** Prose may hold a bracket that never closes; after so many, the search has cost enough. */
const MOST_OPEN_ENDS = 4;
const WHITESPACE = /\s/;

/** The objects and arrays of a text, in order, without their parts; brackets in quotes and comments do not count. */
export function findStructures(text: string): Structure[] {
  const structures: Structure[] = [];
  let openEnds = 0;
  for (let at = 0; at < text.length && openEnds < MOST_OPEN_ENDS; at++) {
    if (text[at] !== '{' && text[at] !== '[') continue;
    const { end, ...structure } = scanStructure(text, at);
    structures.push({ ...structure, start: at, inner: openEnds > 0 });
    if (structure.whole) at = end - 1;
    else openEnds++;
  }
  return structures;
}

function scanStructure(text: string, start: number): { json: string; whole: boolean; end: number } {
  const frames: Frame[] = [];
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '{' || character === '[') {
      frames.push({ closer: character === '{' ? '}' : ']', wholeTo: at + 1, awaitsValue: false });
    } else if (character === '}' || character === ']') {
      frames.pop();
      if (frames.length === 0) return { json: text.slice(start, at + 1), whole: true, end: at + 1 };
      endValue(frames, at + 1);
    } else if (isQuote(text, at)) {
      const end = endOfString(text, at);
      if (end < 0) break;
      if (ownsStrings(frames)) endValue(frames, end);
      at = end - 1;
    } else if (text.startsWith('//', at) || text.startsWith('/*', at)) {
      at = endOfComment(text, at) - 1;
    } else readMark(frames, character, at);
    at++;
  }
  return { json: closeWholePart(text, start, frames), whole: false, end: text.length };
}

function readMark(frames: readonly Frame[], character: string, at: number): void {
  const frame = frames.at(-1)!;
  if (character === ':') frame.awaitsValue = true;
  // A number or a word is whole only when something follows it.
  if (character === ',') endValue(frames, at);
}

function endValue(frames: readonly Frame[], end: number): void {
  const frame = frames.at(-1)!;
  frame.wholeTo = end;
  frame.awaitsValue = false;
}

/** In an object, a string before the colon is a key and no value yet. */
function ownsStrings(frames: readonly Frame[]): boolean {
  const frame = frames.at(-1)!;
  return frame.closer === ']' || frame.awaitsValue;
}

/** A single quote opens a string only where a string can begin; elsewhere it is an apostrophe. */
function isQuote(text: string, at: number): boolean {
  if (text[at] === '"') return true;
  return text[at] === "'" && /[{[,:]/.test(neighbour(text, at, -1));
}

function endOfString(text: string, start: number): number {
  const quote = text[start]!;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote && closesString(text, at)) return at + 1;
  }
  return -1;
}

/** A quote that nothing structural follows was meant as a character of the text and left unescaped. */
function closesString(text: string, at: number): boolean {
  const next = neighbour(text, at, 1);
  if (next === '' || ',:}]/`'.includes(next)) return true;
  return /^\s*\n/.test(text.slice(at + 1, at + 200));
}

function endOfComment(text: string, start: number): number {
  const closer = text[start + 1] === '/' ? '\n' : '*/';
  const end = text.indexOf(closer, start + 2);
  return end < 0 ? text.length : end + closer.length;
}

function neighbour(text: string, at: number, step: 1 | -1): string {
  let position = at + step;
  while (position >= 0 && position < text.length && WHITESPACE.test(text[position]!)) position += step;
  return text[position] ?? '';
}

/**
 * What of a structure that breaks off is whole. An item of a list that is not finished goes; an object's
 * property that is a list or an object itself stays with what it has.
 */
function closeWholePart(text: string, start: number, frames: readonly Frame[]): string {
  let kept = 1;
  while (kept < frames.length && frames[kept - 1]!.closer === '}') kept++;
  const closers = frames
    .slice(0, kept)
    .map((frame) => frame.closer)
    .reverse()
    .join('');
  return text.slice(start, frames[kept - 1]!.wholeTo) + closers;
}
