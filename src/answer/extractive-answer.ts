import type { Milliseconds } from '../model/ids.ts';
import type { Citation, SearchResult } from '../model/retrieved-item.ts';
import { type GivenAnswer, NOT_ENOUGH } from './given-answer.ts';
import { NEUTRAL } from './premise.ts';
import { type AnswerView, type ScoredQuote, scoreQuotes, type TermKnowledge } from './score-quotes.ts';

export { NOT_ENOUGH } from './given-answer.ts';

/** How sure an answer must be to be given; the whole trade-off is what `mnemis eval answers` prints. */
export const ENOUGH_CONFIDENCE = 0.4;
/** How near to the best one a further quote must be. */
const NEARLY_AS_GOOD = 0.72;
const MOST_QUOTES = 3;

/** Every end of a fact has come, and no turn is known to be outdated. */
const UNTIMED: AnswerView = { at: Number.POSITIVE_INFINITY, outdated: new Map(), allowsPast: true };

/** A question for several things takes more quotes, and those that cover as much wherever they rank. */
const ASKS_FOR_SEVERAL = /^\s*(which|what|list|name|how many)\b/i;
const PLURAL = /^\p{L}{2,}(?:s|ren|ople)$/iu;
const MOST_ENUMERATED = 8;

/**
 * The local tier's answer: the sentences of memory that cover the question best, each with its citation, or an
 * abstention. It quotes and never composes, so it cannot say what nobody said. A fact that is over is quoted with the
 * days between which it held.
 */
export async function extractiveAnswer(
  search: SearchResult,
  knowledge: TermKnowledge,
  view: AnswerView = UNTIMED,
): Promise<GivenAnswer> {
  const { agreement, threshold = ENOUGH_CONFIDENCE } = view;
  const scored = await scoreQuotes(search, knowledge, view);
  const confidence = answerConfidence({ coverage: scored[0]?.coverage ?? 0, agreement });
  const chosen = confidence < threshold ? [] : choose(search.query, scored);
  const citations = chosen.map(
    ({ item, text }, position): Citation => ({ number: position + 1, item, quote: text }),
  );
  const answered = citations.length > 0;
  return {
    question: search.query,
    answered,
    text: answered ? chosen.map((quote, at) => `${dated(quote)} [${at + 1}]`).join(' ') : NOT_ENOUGH,
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence,
    notes: [],
  };
}

function dated({ text, isOver, validAt, invalidAt }: ScoredQuote): string {
  return isOver ? `${text} (${day(validAt)} to ${day(invalidAt!)})` : text;
}

function day(at: Milliseconds): string {
  return new Date(at).toISOString().slice(0, 10);
}

function choose(question: string, scored: readonly ScoredQuote[]): readonly ScoredQuote[] {
  const best = scored[0];
  if (best === undefined) return [];
  const enumerates = isEnumeration(question);
  const isGood = enumerates
    ? ({ coverage }: ScoredQuote) => coverage >= NEARLY_AS_GOOD * best.coverage
    : ({ score }: ScoredQuote) => score >= NEARLY_AS_GOOD * best.score;
  const chosen = distinctTurns(scored.filter(isGood)).slice(0, enumerates ? MOST_ENUMERATED : MOST_QUOTES);
  return enumerates ? chosen.toSorted((a, b) => a.validAt - b.validAt) : chosen;
}

function isEnumeration(question: string): boolean {
  return (
    ASKS_FOR_SEVERAL.test(question) && (question.match(/\p{L}+/gu) ?? []).some((word) => PLURAL.test(word))
  );
}

/**
 * A fact and the sentence that it was read from would say the same twice, unless one names more of what is asked for.
 */
function distinctTurns(quotes: readonly ScoredQuote[]): readonly ScoredQuote[] {
  const turns = new Set<string>();
  const named = new Set<string>();
  return quotes.filter((quote) => {
    const isKnown = quote.turns.some((turn) => turns.has(turn));
    if (isKnown && quote.members.every((name) => named.has(name))) return false;
    for (const turn of quote.turns) turns.add(turn);
    for (const name of quote.members) named.add(name);
    return true;
  });
}

/** Nothing is certain: neither part may settle it alone. */
const NEARLY = 0.02;
/** Agreement is the mean of what six turns say, the three best of either side, so it counts as six times heard. */
const TIMES_HEARD = 6;

/**
 * How sure an answer is, from 0 to 1: its coverage of the question, pooled with what speaks for the question's premise
 * as independent evidence is, by adding log-odds. Where nothing speaks for or against the premise, it is the coverage.
 */
export function answerConfidence({
  coverage,
  agreement = NEUTRAL,
}: {
  readonly coverage: number;
  readonly agreement?: number | undefined;
}): number {
  if (coverage <= 0) return 0;
  return 1 / (1 + Math.exp(-(logOdds(coverage) + TIMES_HEARD * logOdds(agreement))));
}

function logOdds(share: number): number {
  const bounded = Math.min(1 - NEARLY, Math.max(NEARLY, share));
  return Math.log(bounded / (1 - bounded));
}
