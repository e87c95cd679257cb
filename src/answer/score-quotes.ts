import type { Milliseconds } from '../model/ids.ts';
import type { RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { analyze, analyzeGradually } from '../search/analyzer.ts';
import { Breather } from '../util/breathe.ts';
import { described } from '../util/described.ts';
import { DATED_SHARE, ENDED_SHARE, NEWNESS_SHARE, RANK_SHARE } from './defaults.ts';
import { isOutdatedSentence, type OutdatedTurns } from './outdated-turns.ts';

/** Words that ask about the past. "Last" and dates are excluded: they can refer to the present. */
const PAST_WORDS =
  'before previously previous formerly former earlier once originally ex anymore ago used until prior';
const PAST =
  /\b(?:before|prior to|previous(?:ly)?|former(?:ly)?|earlier|originally|used? to|back then|at (?:that|the) time|in the past|ago|until)\b/i;
/** "Did", "was" and "had" can ask about facts that have ended; "has been" and "have" do not. */
const PAST_TENSE = /\b(?:did|didn['’]t|was|wasn['’]t|were|weren['’]t|had|hadn['’]t)\b/i;
const ANCHOR = /\b(?:before|prior to)\s+(.+)$/i;

/** They refer to the past without a topic, so a quote need not contain them. */
const WORDS_OF_PAST: readonly string[] = PAST_WORDS.split(' ');

/** Whether a question asks about facts that have ended, by its words rather than its tense. */
export function asksAboutEnded(question: string): boolean {
  return PAST.test(question);
}

/** Whether facts that have ended may answer a question: "Where did Nora live before Ghent?" */
export function asksAboutPast(question: string): boolean {
  return PAST.test(question) || PAST_TENSE.test(question);
}

/** The object of "before" in a question: "Ghent"; null without "before". */
export function askedBefore(question: string): string | null {
  return ANCHOR.exec(question)?.[1] ?? null;
}

/** Properties of the terms of a scope. */
export interface TermKnowledge {
  /** Rare terms weigh more than common ones, unknown terms most. */
  readonly weight: (term: string) => number;
  /** Whether the term is part of a speaker's name. */
  readonly isSpeaker: (term: string) => boolean;
  /** Terms of the kind that the question asks for: a quote that names a member covers them. */
  readonly kind?: readonly string[] | undefined;
}

/** The time of an answer, and what is outdated at that time. */
export interface AnswerView {
  readonly at: Milliseconds;
  readonly outdated: OutdatedTurns;
  /** Whether the question may ask about facts that have ended by then. */
  readonly allowsPast: boolean;
  /** Agreement with the question's premise, from 0 to 1. Default: neutral. */
  readonly agreement?: number | undefined;
  /** The least confidence for an answer, from 0 to 1. Default `ENOUGH_CONFIDENCE`. */
  readonly threshold?: number | undefined;
}

export interface ScoredQuote extends Quote {
  /** Share of the question's weight that the quote covers, from 0 to 1. */
  readonly coverage: number;
  readonly score: number;
  /** Members that the quote names of the kind that the question asks for, if System-2 found that kind. */
  readonly members: readonly string[];
  /** Whether the fact has ended by the time of the answer. */
  readonly hasEnded: boolean;
}

/** They refer to the present without a topic, so a quote need not contain them. */
const NOW = 'now currently nowadays still latest newest anymore'.split(' ');
const ASKS_NOW = new RegExp(`\\b(${NOW.join('|')}|at the moment|these days)\\b`, 'i');
const NOW_TERMS: ReadonlySet<string> = new Set(NOW.flatMap((word) => analyze(word)));
const ASKS_WHEN = /^\s*(when|what (day|date|year|month)|how long ago)\b/i;

/** Share for a term that occurs only in the turn around the sentence. */
const AROUND = 0.5;
/** Share for an event that implies the term: "moved to" for "lives". */
const IMPLIED = 0.8;
/** A sentence that says that something has ended does not answer a question about now. */
const ENDED = /\b(no longer|any ?more|used to|stopped)\b/i;
const NO_LONGER = 0.6;
const PAST_TERMS: ReadonlySet<string> = new Set(WORDS_OF_PAST.flatMap((word) => analyze(word)));

/** Quotes that cover nearly as much as the best one count as equal to it. */
const EQUAL_COVERAGE = 0.99;

/** Scores every sentence of a search that is not outdated, the best answer first; at equal scores the newer first. */
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
  // If an ended fact covers as much as any quote, time decides instead of rank.
  const decidesByTime = quotes.some(
    ({ hasEnded, coverage }) => hasEnded && coverage >= EQUAL_COVERAGE * best,
  );
  return quotes
    .map((quote): ScoredQuote => {
      const bonus =
        (decidesByTime ? 0 : RANK_SHARE / (1 + quote.rank)) +
        (ASKS_NOW.test(query) ? NEWNESS_SHARE * newness(quote.validAt) : 0) +
        (ASKS_WHEN.test(query) && quote.isDated ? DATED_SHARE : 0) +
        (past.isMeant && quote.hasEnded ? ENDED_SHARE : 0);
      const isRuledOut = (asksForState && ENDED.test(quote.text)) || (quote.hasEnded && !view.allowsPast);
      const factor = isRuledOut || past.isAfter(quote.text) ? NO_LONGER : 1;
      return { ...quote, score: (quote.coverage + bonus) * factor };
    })
    .sort((a, b) => b.score - a.score || b.validAt - a.validAt);
}

/** Takes time linear in the words of the turns found, and yields the thread in between. */
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
  const outdated = new Map(
    Array.from(view.outdated, ([turn, of]) => [turn as string, isOutdatedSentence(of)]),
  );
  const covering: Omit<ScoredQuote, 'score'>[] = [];
  for (const quote of candidateQuotes(search)) {
    await breather.breathe();
    const { item, text } = quote;
    if (item.kind !== 'fact' && outdated.get(item.id)?.(text)) continue;
    const words = new Set(analyze(text));
    if (names.length > 0 && !names.some((name) => words.has(name))) continue;
    const around = await contexts.termsOf(quote.context);
    const members = membersIn(words);
    const share = (term: string) =>
      words.has(term) || (members.length > 0 && kind.includes(term))
        ? 1
        : Math.max(implies(term, text) ? IMPLIED : 0, around.has(term) ? AROUND : 0);
    covering.push({
      ...quote,
      members,
      hasEnded: hasEnded(quote, view),
      coverage: coverageOf(topic, { share, weight }),
    });
  }
  return covering;
}

/** Terms of the contexts of quotes, analyzed once for all quotes of a turn. */
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

/** How a question refers to the past; it does not if no fact of the search has ended. */
interface AskedPast {
  readonly isMeant: boolean;
  /** Terms that refer to a time, not to the topic. */
  readonly withoutTopic: ReadonlySet<string>;
  /** "Before Ghent": a text about Ghent is about the time after, unless it contains "before" too. */
  readonly isAfter: (text: string) => boolean;
}

function readPast({ query, facts }: SearchResult, { isSpeaker }: TermKnowledge, view: AnswerView): AskedPast {
  const isMeant = asksAboutEnded(query) && facts.some((fact) => hasEnded(fact, view));
  const anchor = (isMeant ? analyze(askedBefore(query) ?? '') : []).filter((term) => !isSpeaker(term));
  return {
    isMeant,
    withoutTopic: new Set(isMeant ? [...anchor, ...PAST_TERMS] : []),
    isAfter: (text) => {
      const words = new Set(analyze(text));
      return anchor.some((term) => words.has(term)) && ![...PAST_TERMS].some((term) => words.has(term));
    },
  };
}

function hasEnded({ invalidAt }: { readonly invalidAt: Milliseconds | null }, { at }: AnswerView): boolean {
  return invalidAt !== null && invalidAt <= at;
}

/** The weighted share of the topic's terms that a quote covers; 1 if the question has only names. */
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

/** A sentence that may answer, and its source. */
interface Quote {
  readonly text: string;
  /** Its context: the turn's other statements and the turn before it. Quotes of a turn share it. */
  readonly context: string;
  readonly item: RetrievedEpisode | RetrievedFact;
  /** Position of the item in the list of its kind, from 0. */
  readonly rank: number;
  readonly validAt: number;
  /** The end of a fact, past or to come; null for a fact without an end and for turns. */
  readonly invalidAt: number | null;
  /** Whether it states when its event took place. */
  readonly isDated: boolean;
  /** Ids of the turns that support it. */
  readonly turns: readonly string[];
}

const SENTENCES = /(?<=[.!?。！？])\s+/u;
/** A bracket, a quotation mark or an exclamation mark may follow the question mark. */
const ASKS = /[?？][!！?？)”’"']*\s*$/u;
const LONGEST_QUOTE = 300;
const ANY_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** The statements of facts and the sentences of turns, without questions. */
function candidateQuotes({ facts, episodes }: SearchResult): Quote[] {
  const turnAt = new Map(episodes.map((episode) => [place(episode), episode]));
  return [
    ...facts.filter(({ statement }) => !ASKS.test(statement)).map(ofFact),
    ...episodes.flatMap((episode) =>
      ofEpisode(episode, turnAt.get(place({ ...episode, index: episode.index - 1 }))),
    ),
  ];
}

function place({ session, index }: Pick<RetrievedEpisode, 'session' | 'index'>): string {
  return JSON.stringify([session, index]);
}

function ofFact(item: RetrievedFact): Quote {
  return {
    text: closed(item.statement),
    context: item.statement,
    item,
    rank: item.rank - 1,
    validAt: item.validAt,
    invalidAt: item.invalidAt,
    isDated: item.event !== null,
    turns: item.sources.map((source) => source.episode),
  };
}

function ofEpisode(item: RetrievedEpisode, before: RetrievedEpisode | undefined): Quote[] {
  const seen = described(item.attachments).map(({ kind, description }) => `[${kind}: ${description}]`);
  const sentences = [...item.content.split(SENTENCES), ...seen].map((sentence) => sentence.trim());
  // A repeated sentence counts once; punctuation alone does not count.
  const statements = [...new Set(sentences)].filter(
    (sentence) => ANY_WORD.test(sentence) && !ASKS.test(sentence),
  );
  // Excludes the turn's own questions, since the next turn answers them; those of the turn before belong to the
  // context.
  const context = [before?.content ?? '', item.speaker, ...statements].join(' ');
  return statements.map((sentence) => ({
    text: `${item.speaker}: “${cut(sentence)}”`,
    context,
    item,
    rank: item.rank - 1,
    validAt: item.validAt,
    invalidAt: null,
    isDated: false,
    turns: [item.id],
  }));
}

function closed(statement: string): string {
  return /[.!?…]$/.test(statement) ? statement : `${statement}.`;
}

function cut(sentence: string): string {
  return sentence.length <= LONGEST_QUOTE ? sentence : `${sentence.slice(0, LONGEST_QUOTE - 1)}…`;
}

/**
 * Finds names of members of the kind that a question asks for in a text: "Lisbon" if System-2 selected the whole
 * category "Cities". Finds none if it selected no whole category.
 *
 * @returns Names by the index terms of a text.
 */
export function namedMembers({
  episodes,
  entities,
}: SearchResult): (words: ReadonlySet<string>) => readonly string[] {
  const paths = episodes.flatMap(({ why }) =>
    why.flatMap(({ list, path }) => (list === MEMBERS && path !== undefined ? [path] : [])),
  );
  const categories = new Set(paths.map(categoryOf));
  // The path of an entity that was reached only through a fact ends with another name.
  const isMember = (name: string, path: readonly string[] = []) =>
    path.length > 1 && path.at(-1) === name && categories.has(categoryOf(path));
  const names = [
    ...paths.flatMap((path) => path.at(-1) ?? []),
    ...entities
      .filter(({ layer, name, why }) => layer === 0 && why.some(({ path }) => isMember(name, path)))
      .flatMap(({ name, aliases }) => [name, ...aliases]),
  ];
  const members = [...new Set(names)].map((name) => ({ name, terms: analyze(name) }));
  const isNamed = (terms: readonly string[], words: ReadonlySet<string>) =>
    terms.length > 0 && terms.every((term) => words.has(term));
  return (words) => members.flatMap(({ name, terms }) => (isNamed(terms, words) ? [name] : []));
}

/** System-2's list of the members of a whole category. */
const MEMBERS = 'members';

function categoryOf(path: readonly string[]): string {
  return JSON.stringify(path.slice(0, -1));
}

/** Events that imply a state: who moved somewhere lives there. */
const EVENTS: readonly (readonly [state: string, events: RegExp])[] = [
  [
    'live reside home',
    /\b(?:mov(?:e|es|ed|ing) (?:back )?(?:in )?to|relocat\w+ to|settl(?:e|es|ed|ing) (?:down )?in|resid(?:e|es|ed|ing) in|based in)\b/i,
  ],
  [
    'work job employ',
    /\b(?:hired (?:by|as|at)|(?:joined|joining) the (?:company|firm|team|staff)|employed (?:by|as|at)|(?:got|took|started) (?:a|the|my|her|his|their) (?:new )?(?:job|position))\b/i,
  ],
  ['own have possess', /\b(?:bought|adopted|purchased|inherited|acquired)\b/i],
  ['spouse wife husband married', /\b(?:(?:got|get|getting) married|married|wed(?:ded)?)\b/i],
  [
    'study attend',
    /\b(?:enrol(?:l|s|ls|led|ling)? (?:in|at)|major(?:s|ed|ing)? in|(?:started|starting) (?:college|university|school))\b/i,
  ],
];

const EVENTS_OF: ReadonlyMap<string, RegExp> = new Map(
  EVENTS.flatMap(([states, events]) => analyze(states).map((term): [string, RegExp] => [term, events])),
);

/** Whether a sentence contains an event that implies a question's term: "moved to" implies "live". */
export function implies(term: string, sentence: string): boolean {
  return EVENTS_OF.get(term)?.test(sentence) ?? false;
}
