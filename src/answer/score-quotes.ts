import type { Milliseconds } from '../model/ids.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze, analyzeGradually } from '../search/analyzer.ts';
import { Breather } from '../util/breathe.ts';
import { askedBefore, meansWhatIsOver, WORDS_OF_PAST } from './asks-about-past.ts';
import { candidateQuotes, type Quote } from './candidate-quotes.ts';
import { namedMembers } from './named-members.ts';
import { type OutdatedTurns, saysOutdated } from './outdated-turns.ts';
import { bringsAbout } from './same-state.ts';

/** What the scope that was searched knows of a term. */
export interface TermKnowledge {
  /** How much a term tells: rare words more than common ones, unknown ones most. */
  readonly weight: (term: string) => number;
  /** It names somebody who speaks in this memory. */
  readonly isSpeaker: (term: string) => boolean;
  /** Terms for the kind of thing that the question asks for: whatever names one of the kind says them too. */
  readonly kind?: readonly string[] | undefined;
}

/** The time that an answer is for, and what is outdated then. */
export interface AnswerView {
  readonly at: Milliseconds;
  readonly outdated: OutdatedTurns;
  /** Whether the question may mean what is over by then. */
  readonly allowsPast: boolean;
  /** What speaks for the question's premise, from 0 to 1. Default: nothing for or against it. */
  readonly agreement?: number | undefined;
  /** How sure an answer must be, from 0 to 1. Default `ENOUGH_CONFIDENCE`. */
  readonly threshold?: number | undefined;
}

export interface ScoredQuote extends Quote {
  /** Share of the question's weight that the quote covers, from 0 to 1. */
  readonly coverage: number;
  readonly score: number;
  /** What it names of the kind that is asked for, where System-2 found that. */
  readonly members: readonly string[];
  /** It held once, and does not any more. */
  readonly isOver: boolean;
}

/** These say which time is asked about, not what; a quote need not repeat them. */
const NOW = 'now currently nowadays still latest newest anymore'.split(' ');
const ASKS_NOW = new RegExp(`\\b(${NOW.join('|')}|at the moment|these days)\\b`, 'i');
const NOW_TERMS: ReadonlySet<string> = new Set(NOW.flatMap((word) => analyze(word)));
const ASKS_WHEN = /^\s*(when|what (day|date|year|month)|how long ago)\b/i;

/** A word in the turn around a sentence counts half of one in the sentence. */
const AROUND = 0.5;
/** "Moved to" says nearly as much of where one lives as "lives". */
const BROUGHT_ABOUT = 0.8;
/** Places high in the ranking speak for a quote, but less than its words. */
const RANK_SHARE = 0.25;
const NEWNESS_SHARE = 0.3;
const DATED_SHARE = 0.2;
/** What is no more does not say where or what something is now. */
const GONE = /\b(no longer|any ?more|used to|stopped)\b/i;
const NO_LONGER = 0.6;
/** What is over answers a question for what was before rather than what still is. */
const OVER_SHARE = 0.3;
const PAST_TERMS: ReadonlySet<string> = new Set(WORDS_OF_PAST.flatMap((word) => analyze(word)));

/** Quotes that cover nearly as much as the best are its equals. */
const EQUAL_COVERAGE = 0.99;

/**
 * Every sentence of a search that is not outdated, the best answer first; among equals the newer (the most recent
 * fact wins).
 */
export async function scoreQuotes(
  search: SearchResult,
  knowledge: TermKnowledge,
  view: AnswerView,
): Promise<readonly ScoredQuote[]> {
  const { query } = search;
  const past = readPast(search, knowledge, view);
  const newness = newnessIn(search);
  const asksForState = ASKS_NOW.test(query) && /^\s*(where|what|who|which)\b/i.test(query);
  const quotes = await coveringQuotes(search, knowledge, { past, view });
  const best = quotes.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  // Where a fact that is over covers as much as any, time tells what answers, and not the search.
  const goesByTime = quotes.some(({ isOver, coverage }) => isOver && coverage >= EQUAL_COVERAGE * best);
  return quotes
    .map((quote): ScoredQuote => {
      const bonus =
        (goesByTime ? 0 : RANK_SHARE / (1 + quote.rank)) +
        (ASKS_NOW.test(query) ? NEWNESS_SHARE * newness(quote.validAt) : 0) +
        (ASKS_WHEN.test(query) && quote.isDated ? DATED_SHARE : 0) +
        (past.isMeant && quote.isOver ? OVER_SHARE : 0);
      const isGone = (asksForState && GONE.test(quote.text)) || (quote.isOver && !view.allowsPast);
      const factor = isGone || past.isAfter(quote.text) ? NO_LONGER : 1;
      return { ...quote, score: (quote.coverage + bonus) * factor };
    })
    .sort((a, b) => b.score - a.score || b.validAt - a.validAt);
}

/** Linear in the words of the turns that were found; a long turn's lets others in. */
async function coveringQuotes(
  search: SearchResult,
  { weight, isSpeaker, kind = [] }: TermKnowledge,
  { past, view }: { readonly past: AskedPast; readonly view: AnswerView },
): Promise<readonly Omit<ScoredQuote, 'score'>[]> {
  const terms = [...new Set(analyze(search.query))];
  const names = terms.filter(isSpeaker);
  const topic = terms.filter(
    (term) => !isSpeaker(term) && !NOW_TERMS.has(term) && !past.withoutTopic.has(term),
  );
  const membersIn = namedMembers(search);
  const breather = new Breather();
  const contexts = new Contexts(breather);
  const outdated = new Map(Array.from(view.outdated, ([turn, of]) => [turn as string, saysOutdated(of)]));
  const covering: Omit<ScoredQuote, 'score'>[] = [];
  for (const quote of candidateQuotes(search)) {
    await breather.breathe();
    const { item, text } = quote;
    if (item.kind !== 'fact' && outdated.get(item.id)?.(text)) continue;
    const said = new Set(analyze(text));
    if (names.length > 0 && !names.some((name) => said.has(name))) continue;
    const around = await contexts.termsOf(quote.context);
    const members = membersIn(said);
    const share = (term: string) =>
      said.has(term) || (members.length > 0 && kind.includes(term))
        ? 1
        : Math.max(bringsAbout(term, text) ? BROUGHT_ABOUT : 0, around.has(term) ? AROUND : 0);
    covering.push({
      ...quote,
      members,
      isOver: isOver(quote, view),
      coverage: coverageOf(topic, { share, weight }),
    });
  }
  return covering;
}

/** Terms of what quotes are understood from, read once for all quotes of a turn. */
class Contexts {
  readonly #breather: Breather;
  #text: string | null = null;
  #terms: ReadonlySet<string> = new Set();

  constructor(breather: Breather) {
    this.#breather = breather;
  }

  async termsOf(context: string): Promise<ReadonlySet<string>> {
    if (this.#text === context) return this.#terms;
    this.#terms = new Set(await analyzeGradually(context, this.#breather));
    this.#text = context;
    return this.#terms;
  }
}

/** What a question asks of the past; nothing when no fact of the search is over. */
interface AskedPast {
  readonly isMeant: boolean;
  /** Terms that say which time is asked about, not what. */
  readonly withoutTopic: ReadonlySet<string>;
  /** "Before Ghent": what tells of Ghent tells of what came after, unless it says "before" too. */
  readonly isAfter: (text: string) => boolean;
}

function readPast({ query, facts }: SearchResult, { isSpeaker }: TermKnowledge, view: AnswerView): AskedPast {
  const isMeant = meansWhatIsOver(query) && facts.some((fact) => isOver(fact, view));
  const anchor = (isMeant ? analyze(askedBefore(query) ?? '') : []).filter((term) => !isSpeaker(term));
  return {
    isMeant,
    withoutTopic: new Set(isMeant ? [...anchor, ...PAST_TERMS] : []),
    isAfter: (text) => {
      const said = new Set(analyze(text));
      return anchor.some((term) => said.has(term)) && ![...PAST_TERMS].some((term) => said.has(term));
    },
  };
}

function isOver({ invalidAt }: { readonly invalidAt: Milliseconds | null }, { at }: AnswerView): boolean {
  return invalidAt !== null && invalidAt <= at;
}

/** A question of names only is covered by whatever speaks of them. */
function coverageOf(
  topic: readonly string[],
  { share, weight }: { share: (term: string) => number; weight: (term: string) => number },
): number {
  const total = topic.reduce((sum, term) => sum + weight(term), 0);
  if (total === 0) return 1;
  return topic.reduce((sum, term) => sum + share(term) * weight(term), 0) / total;
}

/** 1 for the newest item of the search, 0 for the oldest. */
function newnessIn({ episodes, facts }: SearchResult): (validAt: number) => number {
  const times = [...episodes, ...facts].map((item) => item.validAt);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  return (validAt) => (newest === oldest ? 0 : (validAt - oldest) / (newest - oldest));
}
