import type { Answer, Citation, SearchResult } from '../model/retrieved-item.ts';
import { NO_USAGE } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import { candidateQuotes, type Quote } from './candidate-quotes.ts';

/** How much a term tells, from the scope that was searched: rare words more than common ones. */
export type TermWeight = (term: string) => number;

export interface AnswerSettings {
  readonly termWeight: TermWeight;
  /** Terms that name somebody who speaks in this memory. */
  readonly isSpeaker: (term: string) => boolean;
  /** At most so many quotes. Default 3; an enumerating question may have twice as many. */
  readonly quotes?: number;
}

/** Said whenever memory does not suffice, always in these words. */
export const NOT_ENOUGH = 'There is not enough in memory to answer this.';

/** The share of the question's weight that the best quotes must cover before we call it an answer. */
const ENOUGH_COVERAGE = 0.4;
/** A further quote must be at least this near to the best one. */
const NEARLY_AS_GOOD = 0.72;
const ENUMERATES = /^\s*(which|what|list|name|how many)\b.*\b\p{L}{2,}(s|ren|ople)\b/iu;
const ASKS_NOW = /\b(now|currently|today|at the moment|these days|nowadays|still|latest|newest)\b/i;

/**
 * The local tier's answer: the sentences of memory that cover the question best, each with its citation, or an
 * abstention. It quotes and never composes, so it cannot say what nobody said.
 */
export function extractiveAnswer(search: SearchResult, settings: AnswerSettings): Answer {
  const { query } = search;
  const chosen = choose(query, search, settings);
  const citations = chosen.map(
    ({ item, text }, position): Citation => ({ number: position + 1, item, quote: text }),
  );
  const answered = citations.length > 0;
  return {
    question: query,
    answered,
    text: answered ? citations.map(({ quote, number }) => `${quote} [${number}]`).join(' ') : NOT_ENOUGH,
    citations,
    search,
    usage: NO_USAGE,
  };
}

interface ScoredQuote extends Quote {
  readonly coverage: number;
  readonly score: number;
}

function choose(question: string, search: SearchResult, settings: AnswerSettings): readonly ScoredQuote[] {
  const terms = [...new Set(analyze(question))];
  const topic = terms.filter((term) => !settings.isSpeaker(term));
  const names = terms.filter(settings.isSpeaker);
  const total = topic.reduce((sum, term) => sum + settings.termWeight(term), 0);
  if (total === 0 && names.length === 0) return [];
  const newest = newestFirst(search);
  const scored = candidateQuotes(search)
    .map((quote): ScoredQuote => {
      const said = new Set(analyze(quote.text));
      const around = new Set(analyze(quote.context));
      const coverage =
        total === 0
          ? 1
          : topic.reduce((sum, term) => sum + weigh(term, said, around) * settings.termWeight(term), 0) /
            total;
      const named = names.length === 0 || names.some((name) => said.has(name) || around.has(name)) ? 1 : 0.6;
      const recent = ASKS_NOW.test(question) ? 0.3 * newest(quote.validAt) : 0;
      return { ...quote, coverage, score: (coverage + 0.25 / (1 + quote.rank) + recent) * named };
    })
    .sort((a, b) => b.score - a.score || b.validAt - a.validAt);
  return pick(scored, (settings.quotes ?? 3) * (ENUMERATES.test(question) ? 2 : 1));
}

/** A word in the sentence itself counts whole, one in the turn around it half. */
function weigh(term: string, said: ReadonlySet<string>, around: ReadonlySet<string>): number {
  if (said.has(term)) return 1;
  return around.has(term) ? 0.5 : 0;
}

function pick(scored: readonly ScoredQuote[], most: number): readonly ScoredQuote[] {
  const best = scored[0];
  if (best === undefined || best.coverage < ENOUGH_COVERAGE) return [];
  const picked: ScoredQuote[] = [];
  const turns = new Set<string>();
  for (const quote of scored) {
    if (picked.length === most || quote.score < NEARLY_AS_GOOD * best.score) break;
    // A fact and the sentence it was read from would say the same twice.
    if (quote.turns.some((turn) => turns.has(turn))) continue;
    for (const turn of quote.turns) turns.add(turn);
    picked.push(quote);
  }
  return picked;
}

/** 1 for the newest item of the search, 0 for the oldest. */
function newestFirst({ episodes, facts }: SearchResult): (validAt: number) => number {
  const times = [...episodes, ...facts].map((item) => item.validAt);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  return (validAt) => (newest === oldest ? 0 : (validAt - oldest) / (newest - oldest));
}
