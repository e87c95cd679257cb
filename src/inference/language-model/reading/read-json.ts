import { jsonrepair } from 'jsonrepair';
import { findStructures, type Structure } from './find-structures.ts';
import { stripReasoning } from './strip-reasoning.ts';

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
