import type { Milliseconds } from '../../model/ids.ts';
import { MAX_STATEMENT_LENGTH } from '../extractor.ts';
import { resolveTimes, type TimeMention } from './resolve-time.ts';
import type { Token } from './tagger.ts';
import { inferTense, type Tense } from './tense.ts';
import { joinTokens } from './tokens.ts';

export interface Statement {
  readonly text: string;
  readonly times: readonly TimeMention[];
}
export interface StatementContext {
  readonly saidAt: Milliseconds;
  /** Left out for a verb that is not past. */
  readonly tense: Tense | undefined;
  /** Names that are not to be read as dates. */
  readonly names: readonly string[];
}

/** Room for the absolute dates that are put in. */
const LONGEST_SOURCE = MAX_STATEMENT_LENGTH - 40;

/** A readable sentence: relative times get their absolute ones beside them, "yesterday (7 May 2023)". */
export function writeStatement(tokens: readonly Token[], context: StatementContext): Statement {
  const plain = shortened(capitalised(tidied(joinTokens(tokens))));
  const times = resolveTimes(plain, {
    reference: context.saidAt,
    tense: context.tense ?? notPast(plain),
    ignore: context.names,
  });
  const relative = times.filter((time) => time.relative);
  const text = relative.reduceRight(withAbsolute, plain);
  return { text: text.length > MAX_STATEMENT_LENGTH ? plain : text, times };
}

/** "We open on Sunday", as "Ivo opens on Sunday", lies ahead. */
function notPast(text: string): Tense {
  const tense = inferTense(text);
  return tense === 'unknown' ? 'present' : tense;
}

function withAbsolute(text: string, { index, length, shown }: TimeMention): string {
  const end = index + length;
  return `${text.slice(0, end)} (${shown})${text.slice(end)}`;
}

function tidied(text: string): string {
  return text
    .replace(/\b(can) not\b/gi, '$1not')
    .replace(/\b([Aa]) (?=[AEFHILMNORSX][A-Z]+\b)/g, '$1n ')
    .replace(/ {2,}/g, ' ')
    .replace(/ ([,.;:!?])/g, '$1')
    .trim();
}

function capitalised(text: string): string {
  return text.replace(/^["'(]*\p{Ll}/u, (first) => first.toUpperCase());
}

/** Cut where a reader would pause, else after a word. */
function shortened(text: string): string {
  if (text.length <= LONGEST_SOURCE) return text;
  const head = text.slice(0, LONGEST_SOURCE);
  const pause = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(' - '));
  return pause > LONGEST_SOURCE / 2 ? head.slice(0, pause) : `${head.slice(0, head.lastIndexOf(' '))} …`;
}
