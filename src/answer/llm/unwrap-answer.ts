import { z } from 'zod';
import { readJson } from '../../inference/language-model/reading/read-json.ts';

/** Properties that models put an answer in, the likeliest first, and its sources. */
const ANSWER =
  /^(?:final[_ ]?)?(?:answer|response|reply|output|result|text|content|message|statement|value)$/iu;
const SOURCES = /^(?:sources?|citations?|cites?|references?|refs?|evidence)(?:[_ ]?(?:numbers?|ids?))?$/iu;
const PREMISE = /^(?:premise|verdict|check)$/iu;
/** One code fence around all. */
const FENCED = /^\s*(?:```|~~~)[a-z]*[^\S\n]*\n?([\s\S]*?)\s*(?:(?:```|~~~)\s*)?$/iu;
/** It begins like JSON. */
const IS_JSON = /^\s*(?:\{|\[\s*[{"])/u;
const HAS_MARK = /[[【(]\D{0,12}\d/u;
const DEEPEST = 4;

/** Whether a reply begins like a wrapped answer, so that its end has to be known to show anything of it. */
export function mayBeWrapped(begin: string): boolean {
  return /^\s*(?:\{|\[\s*[{"]|`|~~)/u.test(begin);
}

/**
 * An answer without what some models put around it: one code fence, or JSON such as `{"answer": "Oslo [1]"}`. Its sources
 * become citations, its premise the first line. Empty for JSON that has no answer.
 */
export function unwrapAnswer(reply: string): string {
  const inner = FENCED.exec(reply)?.[1];
  const text = inner === undefined || /```|~~~/u.test(inner) ? reply : inner;
  const isJson = IS_JSON.test(text);
  return answerInJson(text, isJson) ?? (isJson ? '' : text);
}

/**
 * The answer in a reply's JSON; null if there is none.
 *
 * @param isWhole The reply is nothing but JSON for an answer, so that any one text in it is the answer.
 */
export function answerInJson(reply: string, isWhole = false): string | null {
  if (!/\{\s*["']/u.test(reply)) return null;
  for (const { value } of readJson(reply)) {
    const answer = answerIn(value, isWhole);
    if (answer !== null) return answer;
  }
  return null;
}

const recordSchema = z.record(z.string(), z.unknown());

function answerIn(value: unknown, isWhole: boolean, depth = 0): string | null {
  if (typeof value === 'string') return isWhole || depth > 0 ? value : null;
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.length === 1 ? answerIn(value[0], isWhole, depth + 1) : null;
  const entries = Object.entries(recordSchema.parse(value));
  const named = entries.filter(([name, each]) => ANSWER.test(name) && each !== null);
  const texts = entries.filter(([name, each]) => typeof each === 'string' && !PREMISE.test(name));
  const likely = named.length > 0 ? named : isWhole && entries.length <= 2 ? [...texts, ...entries] : [];
  const inner = likely.map(([, each]) => answerIn(each, isWhole, depth + 1)).find((each) => each !== null);
  if (inner === undefined) return null;
  const premise = entries.find(([name, each]) => PREMISE.test(name) && typeof each === 'string')?.[1];
  const sources = entries.filter(([name]) => SOURCES.test(name)).flatMap(([, each]) => numbersIn(each));
  const marks = HAS_MARK.test(inner) ? '' : sources.map((number) => ` [${number}]`).join('');
  return `${premise === undefined ? '' : `${premise}\n`}${inner}${marks}`;
}

function numbersIn(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return (value.match(/\d{1,3}/g) ?? []).map(Number);
  const record = recordSchema.safeParse(value).data;
  return record === undefined ? [] : numbersIn(record.number ?? record.id ?? record.source ?? []);
}
