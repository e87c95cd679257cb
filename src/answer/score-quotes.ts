import type { Milliseconds } from '../model/ids.ts';
import type { RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { standingOf } from '../model/standing.ts';
import { analyze, analyzeGradually } from '../search/analyzer.ts';
import type { Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { Breather, gradually } from '../util/breathe.ts';
import { isQuestion } from '../util/questions.ts';
import { type Relative, wordsFor } from '../util/relatives.ts';
import { sentencesOf } from '../util/sentences.ts';
import { signedWords } from '../util/signed-words.ts';
import { hasEnded } from '../util/validity.ts';
import { answerFit, PERSON } from './answer-fit.ts';
import { withoutWords } from './asked-others.ts';
import { readPast } from './asked-past.ts';
import { askedSubject, ofAnother, ofAsked, type PeopleKnowledge } from './asked-subject.ts';
import {
  advisingWords,
  asksForAnswers,
  candidateQuotes,
  mayAdvise,
  type NeighboursOf,
  namedMembers,
  type Quote,
} from './candidate-quotes.ts';
import { EQUAL_COVERAGE, QUOTE_WEIGHTS, TIME_WEIGHTS } from './defaults.ts';
import type { KindMembers } from './members-of-kind.ts';
import { isOutdatedSentence, type OutdatedTurns } from './outdated-turns.ts';
import { plainStatement } from './plain-statement.ts';
import { type Sides, shareOf } from './premise.ts';
import { promiseIn } from './promises.ts';
import { endsSomething, isGone, replacedQuotes } from './replaced-quotes.ts';
import type { Thought } from './thoughts.ts';
import { afterReaction, askingTerms, isDenied, isSaid } from './wordings.ts';

/** What is known of a question and of the terms of its scope. */
export interface TermKnowledge {
  /** Rare terms weigh more than common ones, unknown terms most. */
  readonly weight: (term: string) => number;
  /** Whether the term is part of a speaker's name. */
  readonly isSpeaker: (term: string) => boolean;
  /** Terms of the kind that the question asks for: a quote that names a member covers them. */
  readonly kind?: readonly string[] | undefined;
  /** Whether a sentence names something of that kind; null for a kind without known members. */
  readonly isOfKind?: ((sentence: string) => boolean) | null | undefined;
  /** How sentences name what a question for several things asks to list; null if that is not known. */
  readonly members?: KindMembers | null | undefined;
  /** Names of the speakers that the question is about, and of the others. */
  readonly sides?: Sides | undefined;
  /** The relative that the question names twice, by the word and by the name: each of them says both. */
  readonly relative?: Relative | null | undefined;
  readonly neighbours?: NeighboursOf | undefined;
  /** Times that the question names by its own day, such as "today": the same words of a quote may mean others. */
  readonly times?: readonly Span[] | undefined;
  /** Words of the question that are no answer to it. */
  readonly besides?: readonly string[] | undefined;
  /** Tells people from things. Default: nobody is known. */
  readonly people?: PeopleKnowledge | undefined;
}

type Span = Pick<Interval, 'start' | 'end'>;

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
  /** The same with what is said around it. */
  readonly coverageAround: number;
  /** Whether it, with what is said around it, has every name in the question that is no speaker's. */
  readonly hasNames: boolean;
  /** Log-odds that the answer comes from its turn, as estimated by `QUOTE_WEIGHTS`. */
  readonly score: number;
  /** How far it is about the speakers that the question names, from 0 to 1; the half if that is not known. */
  readonly about: number;
  /** Members that the quote names of the kind that the question asks for, if System-2 found that kind. */
  readonly members: readonly string[];
  /** Whether it has a part of the sort that is asked for, such as a place; null if no sort is asked for. */
  readonly fits: boolean | null;
  /** Whether the fact has ended by the time of the answer. */
  readonly hasEnded: boolean;
  /** Parts of the found turns that are outdated, or about somebody or a time else: they are not shown beside it either. */
  readonly withheld: ReadonlySet<Thought>;
  /** Whether it says all of a question about somebody, with that one as its subject: then others do not matter. */
  readonly isPlain: boolean;
  /** Share of the question's weight in the question that its turn replies to; 0 without one. */
  readonly asked: number;
  /** Whether it says the opposite of what a question for yes or no asks. */
  readonly denies: boolean;
}

/** They refer to the present without a topic, so a quote need not contain them. */
const NOW = 'now currently nowadays still latest newest anymore'.split(' ');
const ASKS_NOW = new RegExp(`\\b(${NOW.join('|')}|at the moment|these days)\\b`, 'i');
/** Whether a question asks for what holds now, so that what ended it answers too: "Does Ann still …?" */
export function asksForNow(query: string): boolean {
  return ASKS_NOW.test(query);
}
const NOW_TERMS: ReadonlySet<string> = new Set(NOW.flatMap((word) => analyze(word)));
/** They ask for a number or a kind, which is never in their words. */
const ASKS_AMOUNT = /\bhow (many times|many|much|far|often|long)\b|\b(kinds?|types?|sorts?) of\b/gi;
/** They ask for what is done as a rule, which need not be said. */
const ASKS_HABIT = /\b(?:(?:as a|by|out of|from) habit|habitually|usually|normally|typically|regularly)\b/gi;
/** A question for a state that one thing holds at a time, in the present tense. */
const ASKS_STATE =
  /^\s*(?:where|what|which|who|whose|how old|does|is|do|am|are)\b(?!.*\b(?:did|was|were|had|when)\b).*\b(?:live|lives|living|work|works|working|job|favou?rites?|name|called|plans?|phone|number|address|password|code|employer|boss|partner|car|school|university|drive|drives)\b/i;
/** "Did Ann adopt a cat?" is answered by a repetition of its words. */
export const YES_OR_NO =
  /^\s*(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|don['’]t|doesn['’]t|didn['’]t|hasn['’]t|haven['’]t)\b/i;
/** Whoever says it may be the answer. */
const ASKS_WHO = /\bwho(?:m|se)?\b/i;
/** A sentence that says that something has ended does not answer a question about now, unless that asks for it. */
const ENDED = /\b(no longer|any ?more|used to|stopped)\b/i;
/** From this coverage on, the place of a state among the found turns does not matter. */
const NEARLY_ALL = 0.75;
/** Share for wording that says the same in other words: "moved to" for "lives". */
const IMPLIED = 0.8;
/**
 * The word before these says which one is meant: "passport number", "door code". It is read from its beginning, in linear
 * time: scripts without spaces have words of thousands of characters.
 */
const WHICH_ONE =
  /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]{1,60}) (?:numbers?|codes?|passwords?|pins?|addresses|address|names?|ids?|dates?|sizes?|plates?|types?)(?![\p{L}])/giu;

/** The same in the other order: "the name of Ana’s brother", "the name of my dog". */
const WHICH_ONE_OF =
  /(?<![\p{L}])(?:numbers?|codes?|passwords?|pins?|addresses|address|names?|ids?|dates?|sizes?|plates?|types?) of (?:[^?!.,;]{1,40}['’]s?|my|your|his|her|our|their) ([\p{L}\p{N}-]+)/giu;
/** And without the noun: "What is my brother called?" */
const WHICH_IS_CALLED =
  /(?:['’]s?|(?<![\p{L}])(?:my|your|his|her|our|their)) ([\p{L}\p{N}-]+) (?:called|named)(?![\p{L}])/giu;
/** A query that asks nothing in particular is a search: a fact in the same words is what it looks for. */
const ASKS_SOMETHING =
  /[?？]|^\s*(?:(?:and|so)\s+)?(?:wh(?:at|en|ere|o|om|ose|ich|y)|how|tell|remind|list|name|describe|explain|show|find)(?![\p{L}])/iu;

/** "Felix’s brother": the owner and what is owned. */
const OWNED = /(?<![\p{L}\p{N}-])(\p{Lu}[\p{L}\p{N}-]{0,60})['’]s? (\p{Ll}[\p{L}\p{N}-]{1,60})/gu;

/** Verbs and particles that say nothing without the words that go with them: "get married", "give up". */
const LIGHT_TERMS: ReadonlySet<string> = new Set(
  analyze('get take make go do have put come give up out off down away over back again'),
);
/** "What does Tom do?" asks for his work. */
const ASKS_WORK = /\bwhat (?:do|does) [^?]{1,60}? do(?: for (?:a living|work))?[\s?!.]*$/i;

/** "The names of her pets" are told without the word. */
const NAME_TERMS: ReadonlySet<string> = new Set(analyze('name called'));
const SINCE_WHEN = /\bsince when\b/i;
const FOR_A_LIVING = /\bdo for a living\b/i;

interface Covering {
  readonly text: string;
  /** With its context, and without. */
  readonly has: (term: string) => boolean;
  readonly says: (term: string) => boolean;
  readonly fits: boolean | null;
}

/** Whether a text has something of what a question asks, beside the person that is asked about and light verbs. */
function substance(
  query: string,
  topic: readonly string[],
  people: PeopleKnowledge | undefined,
): (covering: Covering) => boolean {
  if (people === undefined) return () => true;
  if (ASKS_WORK.test(query)) return ({ text }) => isSaid('work', text);
  const { name = '', noun = null } = askedSubject(query, people) ?? {};
  const member = analyze(noun ?? '');
  const ofSubject = new Set([...analyze(name), ...member]);
  const terms = topic.filter((term) => !LIGHT_TERMS.has(term) && !ofSubject.has(term));
  // "My brother is 34" says how old he is without the word.
  return ({ has, says, fits }) =>
    terms.length === 0 || terms.some(has) || (fits === true && member.some(says));
}

/** Words for several people, which a quote may name one by one. */
const SEVERAL = /^(?:famil|kids|child|friends|team|group|crew)/;

/** Whether a text mentions what the question asks about, but with other owners only. */
function wrongOwner(query: string): (text: string) => boolean {
  const asked = Array.from(query.matchAll(OWNED), ([, owner, thing]) => ({ owner: owner!, thing: thing! }));
  if (asked.length === 0) return () => false;
  return (text) => {
    const told = Array.from(text.matchAll(OWNED), ([, owner, thing]) => ({ owner: owner!, thing: thing! }));
    return asked.some(({ owner, thing }) => {
      const owners = told.filter((each) => each.thing === thing);
      return owners.length > 0 && owners.every((each) => each.owner !== owner);
    });
  };
}

/** A name inside a sentence: of somebody who is no speaker, a place, a work. */
const NAME = /(?<=[\p{L}\p{N},'’] )\p{Lu}[\p{L}\p{N}-]+/gu;
const OF_TIME =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|winter|christmas|easter)s?$/i;

/** Terms that a quote, or what is said around it, has to cover: they say which one is meant. */
function requiredTerms(query: string, topic: readonly string[]): readonly string[] {
  const meant = [WHICH_ONE, WHICH_ONE_OF, WHICH_IS_CALLED].flatMap((pattern) =>
    Array.from(query.matchAll(pattern), ([, word]) => word!),
  );
  for (const [, , thing] of query.matchAll(OWNED))
    if (PERSON.test(thing!) && !SEVERAL.test(thing!)) meant.push(thing!);
  return meant.flatMap((word) => analyze(word)).filter((term) => topic.includes(term));
}

/** Where something was, at the end of a question: "When was the cellar flooded in Tokyo?" */
const PLACE_OF = /(?<=\b(?:in|at|near|around) )\p{Lu}[\p{L}\p{N}-]+(?=[\s?!.]*$)/gu;
/** Somebody who takes part, by a noun: "from the chef", "with a plumber". */
const BY_NOUN =
  /\b(?:from|with|by|to|for) (?:the|an?|another|some|his|her|their) (?:fellow )?(?<noun>\p{Ll}[\p{L}-]{1,40})(?: (?<next>\p{Ll}[\p{L}-]{1,40}))?/gu;

/** The second of two whom a question is about. */
const JOINED = /(?<=\p{Lu}\p{Ll}[\p{L}-]* and )(\p{Lu}\p{Ll}[\p{L}-]*)(?= \p{Ll})/gu;

/** Words beside the place that say which event is meant: of "When did Ann swim in Tokyo?" only the place does. */
const FEWEST_BESIDE_PLACE = 2;

/**
 * Terms of those whom a question is about and who are no speakers: names, and nouns of people. A place at the end is
 * not among them if the question says more about the event: "in Tokyo" may be true though nobody says so.
 */
function namedTerms(
  query: string,
  topic: readonly string[],
  people: PeopleKnowledge | undefined,
): readonly string[] {
  const ends = query.match(PLACE_OF) ?? [];
  const ofPlaces = new Set(ends.flatMap((name) => analyze(name)));
  const beside = topic.filter((term) => !ofPlaces.has(term) && !LIGHT_TERMS.has(term));
  const places = new Set(beside.length < FEWEST_BESIDE_PLACE ? [] : ends);
  // Of "Ann and Clara" either may be told alone.
  const joined = new Set(Array.from(query.matchAll(JOINED), ([, name]) => name!));
  const names = Array.from(query.matchAll(NAME), ([name]) => name).filter(
    (name) => !OF_TIME.test(name) && !places.has(name) && !joined.has(name),
  );
  const nouns = Array.from(query.matchAll(BY_NOUN), ({ groups }) => groups!).flatMap(({ noun, next }) =>
    // "To the guest house" names nobody.
    people?.isLiving(noun!) && !SEVERAL.test(noun!) && !(next !== undefined && people.isThing(next))
      ? [noun!]
      : [],
  );
  return [...names, ...nouns].flatMap((name) => analyze(name)).filter((term) => topic.includes(term));
}

/** Whether a text puts something in another place than a question ("in Porto" for "in Tokyo"), or has too little of it. */
function elsewhere(
  query: string,
  topic: readonly string[],
): (text: string, says: (term: string) => boolean, isAround: (term: string) => boolean) => boolean {
  const asked = query.match(PLACE_OF) ?? [];
  if (asked.length === 0) return () => false;
  const places = new Set(asked.flatMap((name) => analyze(name)));
  return (text, says, isAround) => {
    if ([...places].every(isAround)) return false;
    // Only what is literally told may have its place unsaid.
    if (!topic.every((term) => says(term) || places.has(term))) return ![...places].every(says);
    const told = Array.from(text.matchAll(IN_PLACE), ([name]) => name).filter((name) => !OF_TIME.test(name));
    return told.length > 0 && asked.every((name) => !text.includes(name));
  };
}
const IN_PLACE = /(?<=\b(?:in|at|near|around) )\p{Lu}[\p{L}\p{N}-]+/gu;

/** Scores every sentence of a search that is not outdated, the best answer first; at equal scores the newer first. */
export async function scoreQuotes(
  search: SearchResult,
  knowledge: TermKnowledge,
  view: AnswerView,
): Promise<readonly ScoredQuote[]> {
  const { query } = search;
  const past = readPast(search, { isSpeaker: knowledge.isSpeaker, at: view.at });
  const said = await coveringQuotes(search, knowledge, { withoutTopic: past.withoutTopic, view });
  const covering = ASKS_NOW.test(query) ? withoutReplaced(said) : said;
  const best = covering.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  const equal = covering.filter(({ coverage }) => best > 0 && coverage >= EQUAL_COVERAGE * best);
  // Among quotes that cover as much, time decides instead of rank where things change or have ended.
  const asksForState =
    !ENDED.test(query) && (ASKS_STATE.test(query) || (ASKS_NOW.test(query) && !YES_OR_NO.test(query)));
  const decidesByTime = asksForState || equal.some((quote) => quote.hasEnded);
  const newness = newnessIn(decidesByTime ? equal : covering);
  const isEqual = new Set(equal);
  const highest =
    best >= NEARLY_ALL
      ? placeOf({ rank: 1, strength: 1, factRank: 0 })
      : equal.reduce((most, quote) => Math.max(most, placeOf(quote)), 0);
  const { weights } = QUOTE_WEIGHTS;
  const tellsUser = !asksForAnswers(search);
  const isAdvice = ({ item }: CoveringQuote) =>
    tellsUser && item.kind === 'episode' && standingOf(item, true) === 'answer';
  return covering
    .map((quote): ScoredQuote => {
      const isTimed = decidesByTime && isEqual.has(quote);
      const time =
        (isTimed || ASKS_NOW.test(query) ? TIME_WEIGHTS.newness * newness(quote.validAt) : 0) +
        (past.isMeant && quote.hasEnded ? TIME_WEIGHTS.ended : 0);
      const isRuledOut =
        (asksForState && ENDED.test(quote.text)) ||
        (quote.hasEnded && !view.allowsPast) ||
        past.isAfter(quote.text);
      const names = Object.keys(weights) as (keyof Features)[];
      const content = names.reduce<number>(
        (sum, name) => sum + weights[name] * quote.features[name],
        QUOTE_WEIGHTS.base,
      );
      const place = isTimed ? highest : placeOf(quote);
      const advice = isAdvice(quote) ? QUOTE_WEIGHTS.advice : 0;
      return { ...quote, score: content + place + time + advice - (isRuledOut ? TIME_WEIGHTS.ruledOut : 0) };
    })
    .sort((a, b) => b.score - a.score || b.validAt - a.validAt);
}

/** What ends an earlier statement is said in its place, and answers as much. */
function withoutReplaced(quotes: readonly CoveringQuote[]): readonly CoveringQuote[] {
  const replaced = replacedQuotes(quotes);
  const places = new Map<CoveringQuote, CoveringQuote>();
  for (const [quote, end] of replaced)
    if (quote.coverage > (places.get(end)?.coverage ?? end.coverage)) places.set(end, quote);
  return quotes
    .filter((quote) => !replaced.has(quote))
    .map((quote) => {
      const { coverage, coverageAround, features, rank, strength } = places.get(quote) ?? quote;
      return { ...quote, coverage, coverageAround, features, rank, strength };
    });
}

/** What its place in the search adds to a quote's score. */
function placeOf({ rank, strength, factRank }: Pick<Quote, 'rank' | 'strength' | 'factRank'>): number {
  const { places } = QUOTE_WEIGHTS;
  return places.rank * rank + places.strength * strength + places.factRank * factRank;
}

/** From 0 to 1, but `fit`, which is −1 for a sentence without what the question asks for. */
interface Features {
  readonly coverage: number;
  readonly coverageAround: number;
  /** Share of the heaviest term that neither the sentence nor its context covers. */
  readonly missing: number;
  readonly fit: number;
  /** Words that the question does not have. */
  readonly news: number;
  readonly length: number;
  readonly reaction: number;
  readonly reply: number;
  /** How far the question that its turn replies to asks the same. */
  readonly asked: number;
  readonly caption: number;
  /** How far it is about the speakers that the question names. */
  readonly own: number;
  /** Whether it is more about others. */
  readonly others: number;
}
interface CoveringQuote extends Omit<ScoredQuote, 'score'> {
  readonly time: 'asked' | 'other' | null;
  readonly features: Features;
}

/** Words that count as much news as a sentence can have. */
const ENOUGH_NEWS = 8;
const ENOUGH_WORDS = 20;

/** What a question asks for. */
function readAsked(
  query: string,
  { weight, isSpeaker, people, relative = null, kind = [] }: TermKnowledge,
  withoutTopic: ReadonlySet<string>,
) {
  const words = new Set(analyze(query));
  const amounts = new Set(Array.from(query.matchAll(ASKS_AMOUNT), ([words]) => analyze(words)).flat());
  // The name of a relative says no more than the word.
  const again = new Set(analyze(relative?.name ?? ''));
  const advising = new Set(analyze(advisingWords(query)));
  const others = [NOW_TERMS, withoutTopic, amounts, again, askingTerms(query), advising];
  const topicOf = (question: string) =>
    [...new Set(analyze(question.replace(FOR_A_LIVING, 'work').replace(SINCE_WHEN, 'when')))].filter(
      (term) => !isSpeaker(term) && !others.some((terms) => terms.has(term)),
    );
  const ofHabit = topicOf(query.replace(ASKS_HABIT, ''));
  const topic = ofHabit.length > 0 ? ofHabit : topicOf(query);
  const isOfAsked = people === undefined ? null : ofAsked(query, people, relative);
  return {
    words,
    topic,
    total: topic.reduce((sum, term) => sum + weight(term), 0),
    required: requiredTerms(query, topic),
    named: namedTerms(query, topic, people),
    isElsewhere: elsewhere(query, topic),
    isOfOther: wrongOwner(query),
    isPlain: plainStatement(query, { topic, kind, light: LIGHT_TERMS, people, isOfAsked }),
    isOfAnother: people === undefined ? () => false : ofAnother(query, people),
    hasSubstance: substance(query, topic, people),
    isPromise: promiseIn(query, isOfAsked),
    isNamed: namedBeside(query),
    isYesOrNo: YES_OR_NO.test(query),
    isOfNow: ASKS_NOW.test(query),
    asksWho: ASKS_WHO.test(query),
    asksSomething: ASKS_SOMETHING.test(query),
  };
}
type Asked = ReturnType<typeof readAsked>;

/** What a quote says beside the words of the question; null for a repetition of it that does not answer it. */
function newsOf(
  { item, text }: Quote,
  words: ReadonlySet<string>,
  asked: Asked,
): { readonly news: number; readonly isReaction: boolean } | null {
  const commented = item.kind === 'episode' ? afterReaction(text) : null;
  const told = commented === null ? words : new Set(analyze(commented));
  const names = asked.asksWho && item.kind === 'episode' ? analyze(item.speaker) : [];
  const all = new Set([...told, ...names, ...signedWords(text)]);
  const news = [...all].filter((term) => !asked.words.has(term)).length;
  // A repetition of the question answers only whether it is so; "Congrats on that!" not even this.
  const isRepetition = news === 0 && asked.total > 0;
  const mayRepeat = commented === null && (asked.isYesOrNo || (item.kind === 'fact' && !asked.asksSomething));
  return isRepetition && !mayRepeat ? null : { news, isReaction: commented !== null };
}

/** Shares of the topic's weight that a quote covers, alone and with its context, and of the heaviest missing term. */
function coverageOf(
  { topic, total }: Asked,
  weight: TermKnowledge['weight'],
  { own, isAround }: { own: (term: string) => number; isAround: (term: string) => boolean },
): Pick<Features, 'coverage' | 'coverageAround' | 'missing'> {
  if (total === 0) return { coverage: 1, coverageAround: 1, missing: 0 };
  let [covered, coveredAround, missing] = [0, 0, 0];
  for (const term of topic) {
    const share = own(term);
    covered += share * weight(term);
    coveredAround += Math.max(share, isAround(term) ? 1 : 0) * weight(term);
    if (share === 0 && !isAround(term)) missing = Math.max(missing, weight(term));
  }
  return { coverage: covered / total, coverageAround: coveredAround / total, missing: missing / total };
}

const PROMISE_TERMS: ReadonlySet<string> = new Set(analyze('promise'));
const NAMING_TERMS: ReadonlySet<string> = new Set(analyze('called named name'));

/** Whether a text has the name beside the noun: "my hamster, Pim", "Pim is my hamster", for "What is my hamster called?" */
function namedBeside(query: string): ((text: string) => boolean) | null {
  const nouns = [WHICH_ONE, WHICH_ONE_OF, WHICH_IS_CALLED].flatMap((pattern) =>
    Array.from(query.matchAll(pattern), ([words, noun]) =>
      /name|called/iu.test(words) ? [noun!] : [],
    ).flat(),
  );
  if (nouns.length === 0) return null;
  const beside = nouns.map((noun) => {
    const owned = `\\p{Lu}[\\p{L}-]{0,60},? (?:(?:is|was) )?(?:my|our|\\S{1,60}['’]s?) (?:\\p{Ll}{1,30} ){0,2}${noun}`;
    return new RegExp(`(?<!\\p{L})(?:${noun},? \\p{Lu}\\p{L}|${owned}(?![\\p{L}-]))`, 'u');
  });
  return (text) => beside.some((pattern) => pattern.test(text));
}

/** How far a quote says each term of a question: 1 for the term, less for what implies it, else 0. */
function sharesOf(
  {
    text,
    words,
    around,
    isMember,
    members,
  }: {
    readonly text: string;
    readonly words: ReadonlySet<string>;
    readonly around: ReadonlySet<string>;
    readonly isMember: boolean;
    readonly members: readonly string[];
  },
  { topic, isYesOrNo, isPromise, isNamed }: Asked,
  kind: readonly string[],
): (term: string) => number {
  // The opposite about something else denies nothing.
  const denies =
    isYesOrNo &&
    topic.every((term) => words.has(term) || isDenied(term, text) || isSaid(term, text) || around.has(term));
  return (term) => {
    if (words.has(term) || (members.length > 0 && kind.includes(term))) return 1;
    const isImplied =
      isSaid(term, text) ||
      (isPromise !== null && PROMISE_TERMS.has(term)) ||
      (isNamed?.(text) === true && NAMING_TERMS.has(term)) ||
      (denies && isDenied(term, text)) ||
      (isMember && (kind.at(-1) === term || NAME_TERMS.has(term)));
    return isImplied ? IMPLIED : 0;
  };
}

/** Takes time linear in the words of the turns found, and yields the thread in between. */
async function coveringQuotes(
  search: SearchResult,
  knowledge: TermKnowledge,
  { withoutTopic, view }: { readonly withoutTopic: ReadonlySet<string>; readonly view: AnswerView },
): Promise<readonly CoveringQuote[]> {
  const { weight, kind = [], isOfKind = null, sides, times = [] } = knowledge;
  const { neighbours = new Map(), besides = [] } = knowledge;
  const asked = readAsked(search.query, knowledge, withoutTopic);
  const relativeTerms = withBoth(knowledge.relative ?? null);
  const membersIn = namedMembers(search);
  const fitOf = answerFit(search.query, isOfKind);
  const breather = new Breather();
  const [contexts, questions] = [new Contexts(breather), new Contexts(breather)];
  const outdated = new Map(
    Array.from(view.outdated, ([turn, of]) => [turn as string, isOutdatedSentence(of)]),
  );
  const isAdvice = mayAdvise(search);
  const saidBefore = impliedBy(asked.topic);
  const covering: CoveringQuote[] = [];
  const withheld = new Set<Thought>();
  for (const quote of await gradually(candidateQuotes(search, neighbours), breather)) {
    await breather.breathe();
    const { item, text } = quote;
    if (!isAdvice(item)) continue;
    const speaker = item.kind === 'episode' ? item.speaker : null;
    const isOutdated = item.kind !== 'fact' && outdated.get(item.id)?.(text) === true;
    // "Luca moved out" is about Luca, and says whether somebody still lives with him.
    const isEnd = asked.isOfNow && isGone(text, asked.named);
    if (isOutdated || asked.isOfOther(text) || (!isEnd && asked.isOfAnother(text, speaker))) {
      if (quote.said !== null) withheld.add(quote.said.thoughts[quote.said.at]!);
      continue;
    }
    if (asked.isPromise?.(text, speaker) === false) continue;
    const words = relativeTerms(new Set(analyze(text)));
    const told = newsOf(quote, words, asked);
    if (told === null) continue;
    const around = relativeTerms(await contexts.termsOf(quote.context));
    const members = membersIn(words);
    const isMember = members.length > 0 || isOfKind?.(text) === true;
    const own = sharesOf({ text, words, around, isMember, members }, asked, kind);
    const question = repliedTo(quote);
    const isAround = (term: string) => around.has(term) || saidBefore(question).has(term);
    const says = (term: string) => own(term) > 0;
    const has = (term: string) => says(term) || isAround(term);
    const others = withoutWords(text, besides);
    const fits = fitOf(others, quote.clock);
    if (others !== text && fits === false) continue;
    const isTopical = asked.hasSubstance({ text, says, has, fits }) && asked.required.every(has);
    if (!isTopical && !(asked.isOfNow && endsSomething(text))) continue;
    const about = ownershipOf(quote, sides);
    if (about === 0 && item.kind === 'fact') continue;
    const coverage = coverageOf(asked, weight, { own, isAround });
    const replies = await questions.termsOf(question ?? '');
    const same = question === null ? 0 : weightOf(asked, weight, (term) => replies.has(term));
    covering.push({
      ...quote,
      members,
      about,
      coverage: coverage.coverage,
      coverageAround: coverage.coverageAround,
      hasNames: asked.named.every(has) && !asked.isElsewhere(text, says, isAround),
      fits,
      hasEnded: hasEnded(quote.invalidAt, view.at),
      withheld,
      time: times.length === 0 ? null : timeOf(quote, times),
      isPlain: asked.isPlain({ text, says, fits, speaker }),
      asked: same,
      denies: asked.isYesOrNo && asked.topic.some((term) => !words.has(term) && isDenied(term, text)),
      features: {
        ...coverage,
        fit: fits === null ? 0 : fits ? 1 : -1,
        news: Math.min(1, told.news / ENOUGH_NEWS),
        length: Math.min(1, words.size / ENOUGH_WORDS),
        reaction: told.isReaction ? 1 : 0,
        reply: quote.said?.isReply ? 1 : 0,
        asked: same,
        caption: text.startsWith('[') ? 1 : 0,
        own: about,
        others: about < NOBODYS ? 1 : 0,
      },
    });
  }
  // A quote of another time stands only if no quote is of the time that is asked for; it is shown with its date.
  if (!asked.isYesOrNo && !covering.some(({ time }) => time === 'asked')) return covering;
  for (const { time, said } of covering)
    if (time === 'other' && said !== null) withheld.add(said.thoughts[said.at]!);
  return covering.filter(({ time }) => time !== 'other');
}

/** Whether a quote names one of the times that are asked for, or others only; null for one without times. */
function timeOf({ item, text, clock }: Quote, asked: readonly Span[]): CoveringQuote['time'] {
  const event = item.kind === 'fact' ? item.event : null;
  const told: readonly Span[] =
    event !== null
      ? [event]
      : readTimes(text, { reference: clock }).map(({ interval, begins }) =>
          begins ? { start: interval.start, end: Number.POSITIVE_INFINITY } : interval,
        );
  const isAsked = (time: Span) => asked.some(({ start, end }) => time.start < end && start < time.end);
  return told.length === 0 ? null : told.some(isAsked) ? 'asked' : 'other';
}

/** Adds to the terms of a text that names a relative in one way those of the other. */
function withBoth(relative: Relative | null): (terms: ReadonlySet<string>) => ReadonlySet<string> {
  if (relative === null) return (terms) => terms;
  const ways = [wordsFor(relative.noun), [relative.name]].map((words) => words.map((word) => analyze(word)));
  const all = [relative.noun, relative.name].flatMap((word) => analyze(word));
  return (terms) =>
    ways.some((words) => words.some((word) => word.every((term) => terms.has(term))))
      ? new Set([...terms, ...all])
      : terms;
}

/** Terms that a question says in other words; quotes of one turn ask for the same. */
function impliedBy(topic: readonly string[]): (question: string | null) => ReadonlySet<string> {
  let [last, implied]: [string | null, ReadonlySet<string>] = [null, new Set()];
  return (question) => {
    if (question !== last)
      implied = new Set(question === null ? [] : topic.filter((term) => isSaid(term, question)));
    last = question;
    return implied;
  };
}

/** The end of a turn in which its last sentence is looked for; in characters. */
const LONGEST_QUESTION = 600;

/** The question at the end of the turn before a quote's. */
export function repliedTo({ said }: Pick<Quote, 'said'>): string | null {
  if (said?.before === undefined || !isQuestion(said.before.content)) return null;
  return sentencesOf(said.before.content.slice(-LONGEST_QUESTION).toWellFormed()).at(-1) ?? null;
}

function weightOf(
  { topic, total }: Asked,
  weight: TermKnowledge['weight'],
  isIn: (term: string) => boolean,
): number {
  return total === 0 ? 0 : topic.reduce((sum, term) => sum + (isIn(term) ? weight(term) : 0), 0) / total;
}

const NOBODYS = 0.5;

/** How far a quote is about the speakers in the question, from 0 to 1; the half if that is not known. */
function ownershipOf({ item, text }: Pick<Quote, 'item' | 'text'>, sides: Sides | undefined): number {
  if (sides === undefined || sides.asked.size === 0) return NOBODYS;
  if (item.kind === 'fact') return namesAny(item, sides.asked) ? 1 : sides.others.size === 0 ? NOBODYS : 0;
  return sides.others.size === 0 ? NOBODYS : shareOf(sides, { speaker: item.speaker, content: text });
}

function namesAny({ statement }: Pick<RetrievedFact, 'statement'>, names: ReadonlySet<string>): boolean {
  const words = new Set(analyze(statement));
  return [...names].some((name) => analyze(name).some((term) => words.has(term)));
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

/** 1 for the newest of the quotes, 0 for the oldest. */
function newnessIn(quotes: readonly Pick<Quote, 'validAt'>[]): (validAt: number) => number {
  const times = quotes.map(({ validAt }) => validAt);
  const oldest = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const newest = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  return (validAt) =>
    newest <= oldest ? 0 : Math.min(1, Math.max(0, (validAt - oldest) / (newest - oldest)));
}
