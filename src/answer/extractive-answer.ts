import { NOT_ENOUGH } from '../model/fixed-replies.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Citation, RetrievedFact, RetrievedItem, SearchResult } from '../model/retrieved-item.ts';
import { describeInterval } from '../time/calendar.ts';
import { clockTimeOfFact } from '../util/speaker-clock.ts';
import { ageOf } from './asked-age.ts';
import { spanOf, stillSo } from './asked-state.ts';
import { timeAskedIn } from './asked-when.ts';
import { asksForAnswers } from './candidate-quotes.ts';
import {
  AS_GOOD,
  BESIDE_COMPLETE,
  COMPLETE,
  CONCLUSION_CONFIDENCE,
  CONFIDENCE,
  ENOUGH_CHANCE,
  ENOUGH_CONFIDENCE,
  LEAST_COVERAGE,
  MOST_ENUMERATED,
  MOST_QUOTES,
  NEARLY_AS_GOOD,
  PLAIN_CONFIDENCE,
  WORSE_BY,
} from './defaults.ts';
import type { GivenAnswer } from './given-answer.ts';
import { listedMembers } from './listed-members.ts';
import { type Passage, passagesIn } from './passages.ts';
import { NEUTRAL } from './premise.ts';
import { dayOf, heldUntil, quoteText, timeOf, toldTime, type Utterance } from './quote-text.ts';
import { type Reckoning, reckoned } from './reckoning.ts';
import { type AnswerView, type ScoredQuote, scoreQuotes, type TermKnowledge } from './score-quotes.ts';
import { isDecisive, leastCount, timeSince, yesOrNo } from './verdict.ts';

export { NOT_ENOUGH } from '../model/fixed-replies.ts';

/** What held before a quoted item, by the item's id. */
export type FormerStates = ReadonlyMap<string, FormerState>;
export interface FormerState {
  /** The fact that holds now. */
  readonly now: Pick<RetrievedFact, 'statement' | 'validAt' | 'saidAt' | 'offset' | 'event'>;
  /** The fact that it superseded. */
  readonly before: RetrievedFact;
}

interface ExtractiveView extends AnswerView {
  /** Whether only a plain statement of the one who is asked about answers. Default false. */
  readonly onlyPlain?: boolean | undefined;
  /** Reads what held before the quoted items. Default: nothing is known. */
  readonly formerStates?: ((items: readonly RetrievedItem[]) => Promise<FormerStates>) | undefined;
  /** Whether the query is a topic to sum up, rather than a question. */
  readonly isSummary?: boolean | undefined;
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
  const { agreement, onlyPlain = false } = view;
  const threshold = view.threshold ?? leastConfidence(search.query);
  const scored = withFitting(await scoreQuotes(search, knowledge, view));
  const best = distinctTurns(scored).slice(0, MOST_QUOTES);
  // Only what is about the person, place or work that the question names speaks for an answer.
  const pooled = answerConfidence(
    best.filter(({ hasNames }) => hasNames && !onlyPlain),
    agreement,
    namesAllSpeakers(knowledge),
  );
  // Others may talk of it as much: who says plainly what is asked answers.
  const plain = pooled < threshold ? scored.filter(({ isPlain }) => isPlain) : [];
  const confidence = plain.length > 0 ? Math.max(pooled, PLAIN_CONFIDENCE) : pooled;
  const sum = onlyPlain ? null : cameTo(search.query, scored, { ...knowledge, now: view.at });
  const chosenFrom = plain.length > 0 ? plain : scored;
  const passages =
    sum?.passages ??
    (confidence < threshold
      ? []
      : view.isSummary
        ? summaryOf(scored)
        : choose(search, chosenFrom, knowledge));
  const verdict = sum ?? verdictOn(search.query, passages, { now: view.at, isSpeaker: knowledge.isSpeaker });
  const isCount = sum === null && verdict?.isList === true && !isListed(passages);
  const chosen = isCount ? passages.filter(({ lead }) => isDecisive(lead)) : passages;
  const former =
    chosen.length === 0
      ? new Map()
      : ((await view.formerStates?.(chosen.map(({ lead }) => lead.item))) ?? new Map());
  const { text, citations } = compose(chosen, {
    former,
    asksWhen: ASKS_WHEN.test(search.query),
    isList: verdict?.isList === true || view.isSummary === true,
  });
  const answered = citations.length > 0;
  return {
    question: search.query,
    answered,
    text: !answered
      ? NOT_ENOUGH
      : verdict === null
        ? text.trimStart()
        : `${verdict.words}${verdict.isList ? ':' : ' – '}${text}`,
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence: sum === null ? confidence : Math.max(confidence, threshold),
    notes: [],
    ...(verdict !== null && { verdict: verdict.words }),
    ...foundApart(answered ? undefined : best[0]),
  };
}

/** "What job might Ann take?": a conclusion, which quotes support rather than say. */
const ASKS_CONCLUSION = /^\s*(?:would|could|might)\b|\b(?:might|likely|probably)\b|\bwhat (?:would|could)\b/i;

function leastConfidence(question: string): number {
  return ASKS_CONCLUSION.test(question) ? CONCLUSION_CONFIDENCE : ENOUGH_CONFIDENCE;
}

/** The best quote of a declined question, if it is about something that is asked. */
function foundApart(best: ScoredQuote | undefined): Pick<GivenAnswer, 'found'> {
  if (best === undefined || best.coverage < LEAST_COVERAGE) return {};
  const shown = quoteText(best, { asksWhen: false });
  return { found: { number: 1, item: withSources(best.item, shown), quote: spoken(shown, null) } };
}

/** What statements about those who are asked about come to together; null where they decide nothing. */
function cameTo(
  question: string,
  scored: readonly ScoredQuote[],
  knowledge: TermKnowledge & { readonly now: Milliseconds },
): Reckoning | null {
  const ofAsked = scored.filter(({ about }) => about >= OF_ASKED);
  const ways = [reckoned, stillSo, spanOf, ageOf];
  return ways.reduce<Reckoning | null>((found, way) => found ?? way(question, ofAsked, knowledge), null);
}

/** How far a statement has to be about those who are asked about; the half is said of nobody. */
const OF_ASKED = 0.5;

/** "Did Ann and Bob …?" between Ann and Bob: what either says is about those who are asked about. */
function namesAllSpeakers({ sides }: TermKnowledge): boolean {
  return sides !== undefined && sides.asked.size > 1 && sides.others.size === 0;
}

/** What the statements come to, in words: "Yes", "At least 3", "About 2 years", "9 May 2026"; null where they do not decide. */
function verdictOn(
  question: string,
  chosen: readonly Passage[],
  { now, isSpeaker }: Pick<TermKnowledge, 'isSpeaker'> & { readonly now: Milliseconds },
): { readonly words: string; readonly isList: boolean } | null {
  const named = chosen.reduce((sum, { names = [] }) => sum + names.length, 0);
  const count = named > 0 ? named : leastCount(question, chosen);
  if (count !== null) return { words: `At least ${count}`, isList: true };
  const [lead] = chosen.map((passage) => passage.lead);
  const words =
    yesOrNo(question, chosen) ??
    timeSince(question, chosen, now) ??
    (lead !== undefined && ASKS_WHEN.test(question) && isDecisive(lead)
      ? timeAskedIn(lead, question, { isSpeaker })
      : null);
  return words === null ? null : { words, isList: false };
}

function isListed(passages: readonly Passage[]): boolean {
  return passages.some(({ names }) => names !== undefined);
}

/** The best passages that each add something; of an enumeration also those that cover as much, up to eight. */
function choose(
  search: SearchResult,
  scored: readonly ScoredQuote[],
  { members, isSpeaker }: TermKnowledge,
): readonly Passage[] {
  const { query: question } = search;
  const best = scored[0];
  if (best === undefined) return [];
  // Beside what is said of those who are asked about, the same of others misleads.
  const ofAsked = best.about > 0 ? scored.filter(({ about }) => about > 0) : scored;
  if (members !== null && members !== undefined) {
    const listed = listedMembers(ofAsked, members, isSpeaker);
    if (listed.length > 0) return listed;
  }
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
  const passageOf = passagesIn(ofAsked, asksForAnswers(search));
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

/** What is said of a topic, at most eight statements in the order of time; facts rather than the turns they are from. */
function summaryOf(scored: readonly ScoredQuote[]): readonly Passage[] {
  const covered = scored.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  const about = scored.filter(({ coverage }) => coverage >= OF_TOPIC * covered);
  const isSaid = ({ item }: ScoredQuote) => item.kind !== 'fact';
  const told = distinctTurns(about.toSorted((a, b) => Number(isSaid(a)) - Number(isSaid(b))));
  return told
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_ENUMERATED)
    .toSorted((a, b) => timeOf(a).start - timeOf(b).start)
    .map((lead) => ({ lead, quotes: [lead] }));
}

/** Share of the best coverage of a topic that a statement of its summary has. */
const OF_TOPIC = 0.6;

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
  return fittingFirst(chosen);
}

/** What has the sort that is asked for before what has it not, where it is about as good. */
function fittingFirst(chosen: readonly Passage[]): readonly Passage[] {
  const first = chosen[0]?.lead;
  if (first?.fits !== false) return chosen;
  const fitting = chosen.find(
    ({ lead: { fits, score, coverageAround } }) =>
      fits === true &&
      score >= first.score - AS_GOOD &&
      coverageAround >= NEARLY_AS_GOOD * first.coverageAround,
  );
  return fitting === undefined ? chosen : [fitting, ...chosen.filter((each) => each !== fitting)];
}

/** A statement without the sort that is asked for gives its place to a sentence of its turn that has it: "Yellow." */
function withFitting(scored: readonly ScoredQuote[]): readonly ScoredQuote[] {
  const fitting = new Map<string, ScoredQuote>();
  for (const quote of scored)
    if (quote.item.kind === 'episode' && quote.fits === true && !fitting.has(quote.item.id))
      fitting.set(quote.item.id, quote);
  return scored.map((quote) => {
    if (quote.item.kind !== 'fact' || quote.fits !== false) return quote;
    const sentence = quote.turns.flatMap((turn) => fitting.get(turn) ?? [])[0];
    const { score, coverage, coverageAround } = quote;
    if (sentence === undefined || sentence.score > score || sentence.coverageAround < coverageAround)
      return quote;
    return { ...sentence, score, coverage: Math.max(coverage, sentence.coverage) };
  });
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

/** When a fact began, as exactly as it was told. */
function beginOf(fact: FormerState['now']): string {
  const { event, validAt } = fact;
  return event?.start === validAt ? toldTime(event) : dayOf(clockTimeOfFact(fact));
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
  for (const { lead, quotes, names } of chosen) {
    // It is told as what held before another.
    if (citations.some(({ item }) => item.id === lead.item.id)) continue;
    const shown = utterances({ lead, quotes }, { asksWhen, isFurther: citations.length > 0 });
    const isBlock = shown.at(-1)!.isBlock;
    const number = cite(withSources(lead.item, shown), spoken(shown, null));
    const own = spoken(shown, isList ? null : speaker);
    speaker = shown.length > 1 || isBlock ? null : shown[0]!.speaker;
    const state = former.get(lead.item.id);
    const isNew = state !== undefined && !citations.some(({ item }) => item.id === state.before.id);
    const before = isNew
      ? ` (since ${beginOf(state.now)}; before: ${difference(state)} [${cite(state.before, `${state.before.statement.replace(/\.$/, '')}.`)}])`
      : '';
    const period = lead.hasEnded && !isNew ? heldUntil(lead) : '';
    const day = isList ? describeInterval(timeOf(lead)) : '';
    const label = names === undefined ? day : `${names.join(', ')} (${day})`;
    const member = label === '' ? '' : `${label} – `;
    parts.push({ text: `${member}${own}${period}${isBlock ? '\n\n' : ' '}[${number}]${before}`, isBlock });
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
function utterances(
  { lead, quotes }: Passage,
  { asksWhen, isFurther }: { readonly asksWhen: boolean; readonly isFurther: boolean },
): readonly Utterance[] {
  const said = quotes.flatMap((quote) =>
    // What stands beside a quote was said on the same day.
    quoteText(quote, quote === lead ? { asksWhen, isFurther } : { asksWhen: false, isFurther: true }),
  );
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
