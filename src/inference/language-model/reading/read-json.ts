import { jsonrepair } from 'jsonrepair';
import { stripReasoning } from './reasoning.ts';

/** One way to read a reply as JSON. */
export interface JsonReading {
  readonly value: unknown;
  /** The reply breaks off: what was not finished is left out. */
  readonly truncated: boolean;
}

const MOST_READINGS = 12;
const FENCE_BEFORE = /```[a-z0-9]*\s*$/i;

/**
 * Every way to read a model's reply as an object or a list, the likeliest first: the reply itself, what stands
 * in code fences, the longest piece of JSON in the prose; whole ones before ones that break off, the answer before
 * what the model thought aloud. Trailing commas, single quotes, comments, Python's words and missing commas
 * are repaired; nothing is made up.
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
    return undefined; // the reply is no JSON: what else it may be is tried next
  }
}

function repair(json: string): unknown {
  try {
    return parse(jsonrepair(json));
  } catch {
    return undefined; // beyond repair, which is for the repair round to say
  }
}

/** A JSON object or array in a text, found by its brackets. */
interface Structure {
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
