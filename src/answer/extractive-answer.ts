import type { Citation, SearchResult } from '../model/retrieved-item.ts';
import { isoDay } from '../util/iso-day.ts';
import { ENOUGH_CONFIDENCE, MOST_ENUMERATED, MOST_QUOTES, NEARLY_AS_GOOD } from './defaults.ts';
import { type GivenAnswer, NOT_ENOUGH } from './given-answer.ts';
import { NEUTRAL } from './premise.ts';
import { type AnswerView, type ScoredQuote, scoreQuotes, type TermKnowledge } from './score-quotes.ts';

export { NOT_ENOUGH } from './given-answer.ts';

/** A view in which no fact has ended and no turn is outdated. */
const UNTIMED: AnswerView = { at: Number.POSITIVE_INFINITY, outdated: new Map(), allowsPast: true };

/** A question for several things gets more quotes, chosen by coverage only. */
const ASKS_FOR_SEVERAL = /^\s*(which|what|list|name|how many)\b/i;
const PLURAL = /^\p{L}{2,}(?:s|ren|ople)$/iu;

/**
 * The answer of the local tier: the sentences in memory that cover the question best, each with its citation, or an
 * abstention. It only quotes. A fact that has ended is quoted with the days between which it held.
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

function dated({ text, hasEnded, validAt, invalidAt }: ScoredQuote): string {
  return hasEnded ? `${text} (${isoDay(validAt)} to ${isoDay(invalidAt!)})` : text;
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
 * Drops a quote that shares a turn with a better one, because a fact repeats the sentence that it was read from. Keeps
 * it if it names another member of the kind that the question asks for.
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

/** Keeps both parts away from 0 and 1, so that neither decides alone. */
const MARGIN = 0.02;
/** Number of turns behind the agreement (the three best for each side): its log-odds are multiplied by this. */
const AGREEMENT_TURNS = 6;

/**
 * The confidence in an answer, from 0 to 1. Pools its coverage of the question and the agreement with the question's
 * premise as independent evidence by adding log-odds. With a neutral agreement it equals the coverage.
 */
export function answerConfidence({
  coverage,
  agreement = NEUTRAL,
}: {
  readonly coverage: number;
  readonly agreement?: number | undefined;
}): number {
  if (coverage <= 0) return 0;
  return 1 / (1 + Math.exp(-(logOdds(coverage) + AGREEMENT_TURNS * logOdds(agreement))));
}

function logOdds(share: number): number {
  const bounded = Math.min(1 - MARGIN, Math.max(MARGIN, share));
  return Math.log(bounded / (1 - bounded));
}
