import { jsonrepair } from 'jsonrepair';
import { stripReasoning } from './reasoning.ts';

/** One way to read a reply as JSON. */
export interface JsonReading {
  readonly value: unknown;
  /** The reply is cut off: unfinished parts are omitted. */
  readonly truncated: boolean;
}

const MOST_READINGS = 12;
const FENCE_BEFORE = /```[a-z0-9]*\s*$/i;

/**
 * Every way to read a model's reply as an object or a list, the likeliest first: the reply itself, the
 * content of code fences, the longest JSON in the prose; complete JSON before JSON that is cut off, the
 * answer before the reasoning. Repairs trailing commas, single quotes, comments, Python's literals and
 * missing commas; invents nothing.
 */
export function readJson(reply: string): JsonReading[] {
  const whole = parse(reply);
  if (whole !== undefined) return [{ value: whole, truncated: false }];
  const answer = stripReasoning(reply);
  const structures = ranked(answer);
  const found = structures.length > 0 || answer === reply.trim() ? structures : ranked(reply);
  return found.slice(0, MOST_READINGS).flatMap(({ json, whole }) => {
    const value = parse(json) ?? repair(json);
    return value === undefined ? [] : [{ value, truncated: !whole }];
  });
}

function ranked(text: string): Structure[] {
  return findStructures(text)
    .map((structure) => ({ structure, rank: rank(text, structure) }))
    .sort((a, b) => b.rank - a.rank || b.structure.json.length - a.structure.json.length)
    .map(({ structure }) => structure);
}

function rank(text: string, { whole, inner, start }: Structure): number {
  const fenced = FENCE_BEFORE.test(text.slice(Math.max(0, start - 40), start));
  return (fenced ? 1 : 0) + (whole ? 2 : 0) + (inner ? 0 : 4);
}

/** Undefined unless it is an object or a list; a text that holds JSON counts as that JSON. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return parse(value);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // not JSON as a whole: the caller looks for JSON inside
  }
}

function repair(json: string): unknown {
  try {
    return parse(jsonrepair(json));
  } catch {
    return undefined; // cannot be repaired here: the caller asks the model to
  }
}

/** A JSON object or array in a text, found by its brackets. */
interface Structure {
  /** The JSON as written, or its complete parts with the brackets closed if it is cut off. */
  readonly json: string;
  readonly start: number;
  /** False if the text ends inside it. */
  readonly whole: boolean;
  /** It lies inside one that is cut off: it is a part of that one, or that one was a bracket of the prose. */
  readonly inner: boolean;
}

/** An object or array that is still open, and how far its content is complete. */
interface Frame {
  readonly closer: '}' | ']';
  wholeTo: number;
  /** In an object: between a colon and the value's end. */
  awaitsValue: boolean;
}

/** Prose may contain brackets that never close; the search stops after so many. */
const MOST_OPEN_ENDS = 4;
const WHITESPACE = /\s/;

/** The objects and arrays of a text, in order, without their parts; brackets in quotes and comments do not count. */
function findStructures(text: string): Structure[] {
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
  // A number or a literal is complete only when something follows it.
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

/** A quote that nothing structural follows is an unescaped character of the text. */
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
 * The complete part of a structure that is cut off. Drops an unfinished item of a list; keeps a property that
 * is a list or an object, with its complete parts.
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
