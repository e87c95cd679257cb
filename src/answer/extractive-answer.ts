import type { Milliseconds } from '../model/ids.ts';
import type { Citation, RetrievedFact, RetrievedItem, SearchResult } from '../model/retrieved-item.ts';
import { isoDay } from '../util/iso-day.ts';
import { clockTimeOfFact } from '../util/speaker-clock.ts';
import {
  AS_GOOD,
  BESIDE_COMPLETE,
  COMPLETE,
  CONFIDENCE,
  ENOUGH_CHANCE,
  ENOUGH_CONFIDENCE,
  LEAST_COVERAGE,
  MOST_ENUMERATED,
  MOST_QUOTES,
  NEARLY_AS_GOOD,
  WORSE_BY,
} from './defaults.ts';
import { type GivenAnswer, NOT_ENOUGH } from './given-answer.ts';
import { type Passage, passagesIn } from './passages.ts';
import { NEUTRAL } from './premise.ts';
import { dayOf, quoteText, type Utterance } from './quote-text.ts';
import { type AnswerView, type ScoredQuote, scoreQuotes, type TermKnowledge } from './score-quotes.ts';
import { isDecisive, leastCount, timeSince, yesOrNo } from './verdict.ts';

export { NOT_ENOUGH } from './given-answer.ts';

/** What held before a quoted item, by the item's id. */
export type FormerStates = ReadonlyMap<string, FormerState>;
export interface FormerState {
  /** The fact that holds now. */
  readonly now: Pick<RetrievedFact, 'statement' | 'validAt' | 'saidAt' | 'offset'>;
  /** The fact that it superseded. */
  readonly before: RetrievedFact;
}

interface ExtractiveView extends AnswerView {
  /** Reads what held before the quoted items. Default: nothing is known. */
  readonly formerStates?: ((items: readonly RetrievedItem[]) => Promise<FormerStates>) | undefined;
}

/** A view without ended facts and outdated turns. */
const UNTIMED: ExtractiveView = { at: Number.POSITIVE_INFINITY, outdated: new Map(), allowsPast: true };

/** A question for several things gets more quotes, chosen by coverage only. */
const ASKS_FOR_SEVERAL = /^\s*(which|what|list|name|how many)\b/i;
const PLURAL = /^\p{L}{2,}(?:s|ren|ople)$/iu;
const ASKS_WHEN = /^\s*(?:(?:and|so)\s+)?(?:when|what (?:day|date|year|month)|how long ago|since when)\b/i;

/**
 * The answer of the local tier: the sentences in memory that answer the question best, each with what it leans on and
 * with its citation, or an abstention. It only quotes. A fact that has ended is quoted with the days between which it
 * held, and one that replaced another with what held before.
 */
export async function extractiveAnswer(
  search: SearchResult,
  knowledge: TermKnowledge,
  view: ExtractiveView = UNTIMED,
): Promise<GivenAnswer> {
  const { agreement, threshold = ENOUGH_CONFIDENCE } = view;
  const scored = await scoreQuotes(search, knowledge, view);
  const best = distinctTurns(scored).slice(0, MOST_QUOTES);
  // Only what is about the person, place or work that the question names speaks for an answer.
  const confidence = answerConfidence(
    best.filter(({ hasNames }) => hasNames),
    agreement,
    namesAllSpeakers(knowledge),
  );
  const passages = confidence < threshold ? [] : choose(search.query, scored);
  const verdict = verdictOn(search.query, passages, view.at);
  const chosen = verdict?.isCount ? passages.filter(({ lead }) => isDecisive(lead)) : passages;
  const former =
    chosen.length === 0
      ? new Map()
      : ((await view.formerStates?.(chosen.map(({ lead }) => lead.item))) ?? new Map());
  const { text, citations } = compose(chosen, {
    former,
    asksWhen: ASKS_WHEN.test(search.query),
    isList: verdict?.isCount === true,
  });
  const answered = citations.length > 0;
  return {
    question: search.query,
    answered,
    text: !answered
      ? NOT_ENOUGH
      : verdict === null
        ? text
        : `${verdict.words}${verdict.isCount ? ':' : ' –'} ${text}`,
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence,
    notes: [],
    ...(verdict !== null && { verdict: verdict.words }),
    ...foundApart(answered ? undefined : best[0]),
  };
}

/** The best quote of a declined question, if it is about something that is asked. */
function foundApart(best: ScoredQuote | undefined): Pick<GivenAnswer, 'found'> {
  if (best === undefined || best.coverage < LEAST_COVERAGE) return {};
  const shown = quoteText(best, false);
  return { found: { number: 1, item: withSources(best.item, shown), quote: spoken(shown, null) } };
}

/** "Did Ann and Bob …?" between Ann and Bob: what either says is about those who are asked about. */
function namesAllSpeakers({ sides }: TermKnowledge): boolean {
  return sides !== undefined && sides.asked.size > 1 && sides.others.size === 0;
}

/** What the statements come to, in words: "Yes", "At least 3", "About 2 years"; null where they do not decide. */
function verdictOn(
  question: string,
  chosen: readonly Passage[],
  now: Milliseconds,
): { readonly words: string; readonly isCount: boolean } | null {
  const count = leastCount(question, chosen);
  if (count !== null) return { words: `At least ${count}`, isCount: true };
  const words = yesOrNo(question, chosen) ?? timeSince(question, chosen, now);
  return words === null ? null : { words, isCount: false };
}

/** The best passages that each add something; of an enumeration also those that cover as much, up to eight. */
function choose(question: string, scored: readonly ScoredQuote[]): readonly Passage[] {
  const best = scored[0];
  if (best === undefined) return [];
  // Beside what is said of those who are asked about, the same of others misleads.
  const ofAsked = best.about > 0 ? scored.filter(({ about }) => about > 0) : scored;
  const covered = ofAsked.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  // Beside a quote that has all that is asked for, one that has little of it adds nothing.
  const least = best.coverage >= COMPLETE && best.fits !== false ? BESIDE_COMPLETE : 0;
  const good = distinctTurns(
    ofAsked.filter(
      ({ score, coverage, coverageAround, fits }) =>
        score >= best.score - WORSE_BY &&
        coverageAround >= LEAST_COVERAGE &&
        coverage >= least &&
        // Neither what is asked about nor what is asked for.
        (coverage > 0 || fits !== false || best.fits === false),
    ),
  );
  const passageOf = passagesIn(ofAsked);
  if (!isEnumeration(question)) return enough(good, passageOf);
  const covering = ofAsked.filter(({ coverage }) => coverage >= NEARLY_AS_GOOD * covered);
  // If System-2 took a whole category, only what names its members counts.
  const isWhole = ofAsked.some(({ members }) => members.length > 0);
  const listed = distinctTurns(isWhole ? covering : [...good.slice(0, MOST_QUOTES), ...covering]).slice(
    0,
    MOST_ENUMERATED,
  );
  const isList = listed.length > MOST_QUOTES && listed.every(({ coverage }) => coverage >= COMPLETE);
  if (!isWhole && !isList) return withOthers(enough(good, passageOf), listed);
  const told = namesSeveral(question) ? listed.toSorted((a, b) => a.validAt - b.validAt) : listed;
  return told.map((lead) => ({ lead, quotes: [lead] }));
}

/** Passages, and the quotes that are in none of them. */
function withOthers(chosen: readonly Passage[], listed: readonly ScoredQuote[]): readonly Passage[] {
  const shown = new Set(chosen.flatMap(({ quotes }) => quotes.flatMap(({ turns }) => turns)));
  const others = listed.filter(({ turns }) => !turns.some((turn) => shown.has(turn)));
  return [...chosen, ...others.map((lead) => ({ lead, quotes: [lead] }))].slice(0, MOST_ENUMERATED);
}

/** Passages, until one of them has the answer with enough of a chance. */
function enough(good: readonly ScoredQuote[], passageOf: (lead: ScoredQuote) => Passage): readonly Passage[] {
  const chosen: Passage[] = [];
  const shown = new Set<string>();
  let missed = 1;
  for (const lead of good) {
    const isEnough = 1 - missed >= ENOUGH_CHANCE && lead.score < good[0]!.score - AS_GOOD;
    if (chosen.length === MOST_QUOTES || isEnough) break;
    if (lead.turns.some((turn) => shown.has(turn))) continue;
    const { quotes } = passageOf(lead);
    const fresh = quotes.filter((quote) => quote === lead || !quote.turns.some((turn) => shown.has(turn)));
    chosen.push({ lead, quotes: fresh });
    for (const { turns, score } of fresh) {
      for (const turn of turns) shown.add(turn);
      missed *= 1 - probability(score);
    }
  }
  return chosen;
}

/** They end like a plural. */
const NO_PLURAL = /^(?:\p{Lu}.*|does|was|has|his|this|its|always)$/u;

/** Whether a question has a plural noun, so that its answer is a list, told in the order of time. */
function namesSeveral(question: string): boolean {
  return (question.match(/\p{L}+/gu) ?? []).some((word) => PLURAL.test(word) && !NO_PLURAL.test(word));
}

function isEnumeration(question: string): boolean {
  return (
    ASKS_FOR_SEVERAL.test(question) && (question.match(/\p{L}+/gu) ?? []).some((word) => PLURAL.test(word))
  );
}

/**
 * Drops a quote in the same words as a better one, and one that shares a turn with a better one, because a fact repeats
 * the sentence that it was read from. Keeps the latter if it names another member of the kind that the question asks for.
 */
function distinctTurns(quotes: readonly ScoredQuote[]): readonly ScoredQuote[] {
  const turns = new Set<string>();
  const named = new Set<string>();
  const said = new Set<string>();
  return quotes.filter((quote) => {
    const words = `${quote.item.kind === 'episode' ? quote.item.speaker : ''}\n${quote.text}`;
    if (said.has(words)) return false;
    const isKnown = quote.turns.some((turn) => turns.has(turn));
    if (isKnown && quote.members.every((name) => named.has(name))) return false;
    said.add(words);
    for (const turn of quote.turns) turns.add(turn);
    for (const name of quote.members) named.add(name);
    return true;
  });
}

interface Composition {
  readonly former: FormerStates;
  readonly asksWhen: boolean;
  /** One a line. */
  readonly isList: boolean;
}

/** The passages one after the other, each with its number; a speaker of several in a row is named once. */
function compose(
  chosen: readonly Passage[],
  { former, asksWhen, isList }: Composition,
): { readonly text: string; readonly citations: readonly Citation[] } {
  const citations: Citation[] = [];
  const cite = (item: RetrievedItem, quote: string): number => {
    const number = citations.length + 1;
    citations.push({ number, item, quote });
    return number;
  };
  const parts: { text: string; isBlock: boolean }[] = [];
  let speaker: string | null = null;
  for (const { lead, quotes } of chosen) {
    // It is told as what held before another.
    if (citations.some(({ item }) => item.id === lead.item.id)) continue;
    const shown = utterances(quotes, asksWhen);
    const isBlock = shown.at(-1)!.isBlock;
    const number = cite(withSources(lead.item, shown), spoken(shown, null));
    const own = spoken(shown, speaker);
    speaker = shown.length > 1 || isBlock ? null : shown[0]!.speaker;
    const state = former.get(lead.item.id);
    const isNew = state !== undefined && !citations.some(({ item }) => item.id === state.before.id);
    const before = isNew
      ? ` (since ${dayOf(clockTimeOfFact(state.now))}; before: ${difference(state)} [${cite(state.before, `${state.before.statement.replace(/\.$/, '')}.`)}])`
      : '';
    const [from, to] = [isoDay(lead.clock), lead.hasEnded ? isoDay(lead.invalidAt!) : null];
    // A time without a day can begin and end on one day, which says nothing.
    const period = to !== null && to !== from && !isNew ? ` (${from} to ${to})` : '';
    parts.push({ text: `${own}${period}${isBlock ? '\n\n' : ' '}[${number}]${before}`, isBlock });
  }
  if (isList) return { text: parts.map(({ text }) => `\n- ${text}`).join(''), citations };
  const text = parts.reduce(
    (whole, part, at) =>
      at === 0 ? part.text : `${whole}${part.isBlock || parts[at - 1]!.isBlock ? '\n\n' : ' '}${part.text}`,
    '',
  );
  return { text, citations };
}

/** What is said in a passage, each turn once. */
function utterances(quotes: readonly ScoredQuote[], asksWhen: boolean): readonly Utterance[] {
  const said = quotes.flatMap((quote) => quoteText(quote, asksWhen));
  const turns = new Set<string>();
  return said.filter(({ sources }) => {
    const isNew = sources.some(({ episode }) => !turns.has(episode));
    for (const { episode } of sources) turns.add(episode);
    return isNew || sources.length === 0;
  });
}

function spoken(shown: readonly Utterance[], known: string | null): string {
  let before = known;
  return shown
    .map((each, at) => {
      const joint = at === 0 ? '' : each.isBlock || shown[at - 1]!.isBlock ? '\n\n' : ' – ';
      const text = labelled(each, before);
      before = each.speaker;
      return joint + text;
    })
    .join('');
}

function labelled({ speaker, words, isBlock }: Utterance, known: string | null): string {
  if (speaker === null || (speaker === known && !isBlock)) return words;
  return `${speaker}:${isBlock ? '\n\n' : ' '}${words}`;
}

/** With the turns whose words are quoted beside the item's own. */
function withSources<Item extends RetrievedItem>(item: Item, shown: readonly Utterance[]): Item {
  const own = new Set<string>(item.sources.map(({ episode }) => episode));
  const more = shown.flatMap(({ sources }) => sources).filter(({ episode }) => !own.has(episode));
  return more.length === 0 ? item : { ...item, sources: [...item.sources, ...more] };
}

/** What is different in the former statement: "Oslo" of "Nora lives in Oslo" and "Nora lives in Ghent". */
function difference({ now, before }: FormerState): string {
  const words = before.statement.replace(/[.\s]+$/, '').split(/\s+/);
  const others = now.statement.split(/\s+/);
  let same = 0;
  while (same < words.length - 1 && words[same] === others[same]) same++;
  return same < FEWEST_SHARED ? words.join(' ') : words.slice(same).join(' ');
}

/** Words at the beginning; statements that share fewer are about other things. */
const FEWEST_SHARED = 2;

/** Keeps all parts away from 0 and 1, so that none decides alone. */
const MARGIN = 0.02;

/**
 * The confidence in an answer, from 0 to 1. Pools, as independent evidence by adding log-odds, the chance that one of
 * the quotes has the answer, and the agreement with the question's premise. If nothing is known of the premise, the
 * best coverage decides, with and without what is said around.
 */
export function answerConfidence(
  quotes: readonly Pick<ScoredQuote, 'score' | 'coverage' | 'coverageAround'>[],
  agreement = NEUTRAL,
  namesAll = false,
): number {
  if (quotes.length === 0 || quotes.every(({ coverageAround }) => coverageAround <= 0)) return 0;
  // What a quote leans on says what it is about: "On the seventh of July" after the name of the course.
  if (agreement === NEUTRAL && !namesAll)
    return quotes.reduce((most, quote) => Math.max(most, (quote.coverage + quote.coverageAround) / 2), 0);
  const { base, premise, mostAgreement, allNamed, enoughCoverage } = CONFIDENCE;
  const missed = quotes
    .slice(0, MOST_QUOTES)
    .reduce(
      (chance, quote) =>
        chance * (1 - probability(quote.score) * Math.min(1, quote.coverageAround / enoughCoverage)),
      1,
    );
  return probability(
    logOdds(1 - missed) +
      premise * Math.min(mostAgreement, logOdds(agreement)) +
      (namesAll ? allNamed : 0) +
      base,
  );
}

function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

function logOdds(share: number): number {
  const bounded = Math.min(1 - MARGIN, Math.max(MARGIN, share));
  return Math.log(bounded / (1 - bounded));
}
