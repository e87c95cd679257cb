import type { Token } from './tagger.ts';
import { isBase, isGerund, isVerb } from './tokens.ts';
import { POINTING } from './words.ts';

/** Part of a sentence, by token positions, half-open. */
export interface Clause {
  readonly start: number;
  readonly end: number;
}

const JOINERS: ReadonlySet<string> = new Set(['and', 'but', 'so', 'plus', 'yet']);
const SUBORDINATORS: ReadonlySet<string> = new Set(
  'if when whenever because since although though while after before until unless as once whether that which who'.split(
    ' ',
  ),
);
const DASHES: ReadonlySet<string> = new Set(['-', ';', ':']);
const LONGEST_SUBJECT = 6;

/**
 * The clauses that can stand alone. A clause about "it" or "they" stays with the one before it: apart, nobody
 * could say what it is about.
 */
export function splitClauses(tokens: readonly Token[]): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  for (let at = 1; at < tokens.length - 1; at += 1) {
    const next = breakAt(tokens, start, at);
    if (next === null) continue;
    clauses.push({ start, end: at });
    start = next;
  }
  clauses.push({ start, end: tokens.length });
  return clauses;
}

/** Where the next clause begins if one ends at this token. */
function breakAt(tokens: readonly Token[], start: number, at: number): number | null {
  const token = tokens[at]!;
  const next = tokens[at + 1]!;
  if (tokens[at - 1]!.pos === 'ADJ' && next.pos === 'ADJ') return null;
  if (DASHES.has(token.text) && (token.text !== '-' || (token.space && next.space))) {
    return startsClause(tokens, at + 1) || isBase(next) ? at + 1 : null;
  }
  if (!hasVerb(tokens, start, at)) return null;
  if (JOINERS.has(token.lower) && tokens[at - 1]!.pos === 'NOUN' && next.pos === 'NOUN') return null;
  if (JOINERS.has(token.lower)) return startsJoined(tokens, at + 1) ? at + 1 : null;
  if (token.text !== ',') return null;
  if (JOINERS.has(next.lower)) return startsJoined(tokens, at + 2) ? at + 2 : null;
  const dependent = isDependent(tokens, start, at);
  return !dependent && isPronoun(next) && startsClause(tokens, at + 1) ? at + 1 : null;
}

/** Whether the words since the last comma hang on what follows: "but when I rest, I feel better". */
function isDependent(tokens: readonly Token[], start: number, comma: number): boolean {
  let from = comma - 1;
  while (from > start && tokens[from - 1]!.text !== ',') from -= 1;
  if (JOINERS.has(tokens[from]!.lower)) from += 1;
  return SUBORDINATORS.has(tokens[from]!.lower) || ['ADP', 'PART'].includes(tokens[from]!.pos);
}

/** After "and" a clause may also open with "when" or "if". */
function startsJoined(tokens: readonly Token[], from: number): boolean {
  return (
    startsClause(tokens, from) ||
    ['when', 'if', 'whenever', 'since', 'after'].includes(tokens[from]?.lower ?? '')
  );
}

function isPronoun({ lower }: Token): boolean {
  return lower === 'i' || lower === 'we' || lower === 'you';
}

/** A subject that can be resolved, and its verb. */
export function startsClause(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (tokens[at]?.pos === 'ADV') at += 1;
  const first = tokens[at];
  if (first === undefined || (POINTING.has(first.lower) && first.pos === 'PRON')) return false;
  const end = subjectEnd(tokens, at);
  return end > at && isFiniteVerb(tokens, end);
}

/** Past a simple noun phrase; `from` itself when there is none. */
export function subjectEnd(tokens: readonly Token[], from: number): number {
  const first = tokens[from];
  if (first === undefined) return from;
  if (isPronoun(first)) return from + 1;
  let [end, nouns] = [from, 0];
  while (end < tokens.length && end - from < LONGEST_SUBJECT && isPhrasePart(tokens[end]!, end === from)) {
    if (['NOUN', 'PROPN'].includes(tokens[end]!.pos)) nouns += 1;
    end += 1;
  }
  return nouns > 0 ? end : from;
}

function isPhrasePart(token: Token, isFirst: boolean): boolean {
  if (token.pos === 'PRON') return isFirst && /^(?:my|your|our|his|her|their|its)$/.test(token.lower);
  return (
    ['DET', 'ADJ', 'NOUN', 'PROPN', 'NUM'].includes(token.pos) || token.lower === "'s" || token.lower === "'"
  );
}

function isFiniteVerb(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (tokens[at]?.pos === 'ADV') at += 1;
  const token = tokens[at];
  return token !== undefined && isVerb(token) && !isGerund(token);
}

function hasVerb(tokens: readonly Token[], start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isVerb(tokens[at]) && !isGerund(tokens[at]!)) return true;
  return false;
}

/** Without greetings, interjections, vocatives and joiners at its edges. */
export function trimClause(
  tokens: readonly Token[],
  clause: Clause,
  isVocative: (at: number) => boolean,
): Clause {
  let { start, end } = clause;
  while (start < end && isLeadIn(tokens, start, isVocative)) start += 1;
  while (end > start && isTail(tokens, start, end, isVocative)) end -= 1;
  return { start, end };
}

const LEAD_INS: ReadonlySet<string> = new Set(
  'agreed and but so well also plus anyway anyways actually honestly oh yeah yes yep no nope nah hey hi hello wow thanks okay ok ha haha lol sure totally exactly absolutely definitely btw like man dude gosh true right speaking congrats'.split(
    ' ',
  ),
);

/** "Fantastic, my laptop died." */
const FEIGNABLE: ReadonlySet<string> = new Set(
  'great fantastic wonderful perfect brilliant awesome amazing lovely terrific super cool nice'.split(' '),
);

function isLeadIn(tokens: readonly Token[], at: number, isVocative: (at: number) => boolean): boolean {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (token.pos === 'PUNCT' && token.text !== '"' && token.text !== '(') return true;
  if (token.pos === 'INTJ' || token.lower === 'and' || token.lower === 'but') return true;
  if (isVocative(at) && (next === undefined || next.text === ',' || next.text === '-' || next.lower === 'i'))
    return true;
  if (FEIGNABLE.has(token.lower) && next?.text === ',') return true;
  const aside =
    next?.text === ',' ||
    next?.text === '-' ||
    next?.pos === 'INTJ' ||
    next?.lower === 'i' ||
    next?.lower === 'we';
  return LEAD_INS.has(token.lower) && (aside || (next !== undefined && isVocative(at + 1)));
}

function isTail(
  tokens: readonly Token[],
  start: number,
  end: number,
  isVocative: (at: number) => boolean,
): boolean {
  const last = tokens[end - 1]!;
  if (last.pos === 'PUNCT') return last.text !== '"' && last.text !== ')';
  const beforeComma = end - 2 >= start && tokens[end - 2]!.text === ',';
  return (isVocative(end - 1) || last.pos === 'INTJ' || LEAD_INS.has(last.lower)) && beforeComma;
}
