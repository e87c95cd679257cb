import type { Milliseconds } from '../model/ids.ts';
import type { RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { analyze, analyzeGradually } from '../search/analyzer.ts';
import { Breather, gradually } from '../util/breathe.ts';
import { sentencesOf } from '../util/sentences.ts';
import { signedWords } from '../util/signed-words.ts';
import { hasEnded } from '../util/validity.ts';
import { answerFit, PERSON } from './answer-fit.ts';
import { readPast } from './asked-past.ts';
import { askedSubject, ofAnother, type PeopleKnowledge } from './asked-subject.ts';
import {
  candidateQuotes,
  isQuestion,
  type NeighboursOf,
  namedMembers,
  type Quote,
} from './candidate-quotes.ts';
import { EQUAL_COVERAGE, QUOTE_WEIGHTS, TIME_WEIGHTS } from './defaults.ts';
import { isOutdatedSentence, type OutdatedTurns } from './outdated-turns.ts';
import { type Sides, shareOf } from './premise.ts';
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
  /** Names of the speakers that the question is about, and of the others. */
  readonly sides?: Sides | undefined;
  readonly neighbours?: NeighboursOf | undefined;
  /** Tells people from things. Default: nobody is known. */
  readonly people?: PeopleKnowledge | undefined;
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
  /** Parts of the found turns that are outdated, or about somebody else: they are not shown beside it either. */
  readonly withheld: ReadonlySet<Thought>;
  /** Share of the question's weight in the question that its turn replies to; 0 without one. */
  readonly asked: number;
  /** Whether it says the opposite of what a question for yes or no asks. */
  readonly denies: boolean;
}

/** They refer to the present without a topic, so a quote need not contain them. */
const NOW = 'now currently nowadays still latest newest anymore'.split(' ');
const ASKS_NOW = new RegExp(`\\b(${NOW.join('|')}|at the moment|these days)\\b`, 'i');
const NOW_TERMS: ReadonlySet<string> = new Set(NOW.flatMap((word) => analyze(word)));
/** They ask for a number, which is never in their words. */
const ASKS_AMOUNT = /\bhow (many|much|far|often|long)\b/gi;
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
  /[?？]|^\s*(?:(?:and|so)\s+)?(?:wh(?:at|en|ere|o|om|ose|ich|y)|how|tell|list|name|describe|explain|show|find)(?![\p{L}])/iu;

/** "Felix’s brother": the owner and what is owned. */
const OWNED = /(?<![\p{L}\p{N}-])(\p{Lu}[\p{L}\p{N}-]{0,60})['’]s? (\p{Ll}[\p{L}\p{N}-]{1,60})/gu;

/** Verbs and particles that say nothing without the words that go with them: "get married", "give up". */
const LIGHT_TERMS: ReadonlySet<string> = new Set(
  analyze('get take make go do have put come give up out off down away over back again'),
);
/** "What does Tom do?" asks for his work. */
const ASKS_WORK = /\bwhat (?:do|does) [^?]{1,60}? do(?: for (?:a living|work))?[\s?!.]*$/i;

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
const BY_NOUN = /\b(?:from|with|by|to|for) (?:the|an?|another|some|his|her|their) (\p{Ll}[\p{L}-]{1,40})/gu;

/**
 * Terms of those whom a question is about and who are no speakers: names, and nouns of people. A place at the end is
 * not among them: "in Tokyo" may be true though nobody says so.
 */
function namedTerms(
  query: string,
  topic: readonly string[],
  people: PeopleKnowledge | undefined,
): readonly string[] {
  const places = new Set(query.match(PLACE_OF));
  const names = Array.from(query.matchAll(NAME), ([name]) => name).filter(
    (name) => !OF_TIME.test(name) && !places.has(name),
  );
  const nouns = Array.from(query.matchAll(BY_NOUN), ([, noun]) => noun!).filter(
    (noun) => people?.isLiving(noun) && !SEVERAL.test(noun),
  );
  return [...names, ...nouns].flatMap((name) => analyze(name)).filter((term) => topic.includes(term));
}

/** Whether a text puts something in another place than a question ("in Porto" for "in Tokyo"), or has too little of it. */
function elsewhere(
  query: string,
  topic: readonly string[],
): (text: string, says: (term: string) => boolean) => boolean {
  const asked = query.match(PLACE_OF) ?? [];
  if (asked.length === 0) return () => false;
  const places = new Set(asked.flatMap((name) => analyze(name)));
  return (text, says) => {
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
  const covering = await coveringQuotes(search, knowledge, { withoutTopic: past.withoutTopic, view });
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
      return { ...quote, score: content + place + time - (isRuledOut ? TIME_WEIGHTS.ruledOut : 0) };
    })
    .sort((a, b) => b.score - a.score || b.validAt - a.validAt);
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
  readonly features: Features;
}

/** Words that count as much news as a sentence can have. */
const ENOUGH_NEWS = 8;
const ENOUGH_WORDS = 20;

/** What a question asks for. */
function readAsked(
  query: string,
  { weight, isSpeaker, people }: TermKnowledge,
  withoutTopic: ReadonlySet<string>,
) {
  const words = new Set(analyze(query));
  const amounts = new Set(Array.from(query.matchAll(ASKS_AMOUNT), ([, word]) => analyze(word!)).flat());
  const others = [NOW_TERMS, withoutTopic, amounts, askingTerms(query)];
  const topic = [...words].filter((term) => !isSpeaker(term) && !others.some((terms) => terms.has(term)));
  return {
    words,
    topic,
    total: topic.reduce((sum, term) => sum + weight(term), 0),
    required: requiredTerms(query, topic),
    named: namedTerms(query, topic, people),
    isElsewhere: elsewhere(query, topic),
    isOfOther: wrongOwner(query),
    isOfAnother: people === undefined ? () => false : ofAnother(query, people),
    hasSubstance: substance(query, topic, people),
    isYesOrNo: YES_OR_NO.test(query),
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
  { topic, isYesOrNo }: Asked,
  kind: readonly string[],
): (term: string) => number {
  // The opposite about something else denies nothing.
  const denies =
    isYesOrNo &&
    topic.every((term) => words.has(term) || isDenied(term, text) || isSaid(term, text) || around.has(term));
  return (term) => {
    if (words.has(term) || (members.length > 0 && kind.includes(term))) return 1;
    const isImplied =
      isSaid(term, text) || (denies && isDenied(term, text)) || (isMember && kind.at(-1) === term);
    return isImplied ? IMPLIED : 0;
  };
}

/** Takes time linear in the words of the turns found, and yields the thread in between. */
async function coveringQuotes(
  search: SearchResult,
  knowledge: TermKnowledge,
  { withoutTopic, view }: { readonly withoutTopic: ReadonlySet<string>; readonly view: AnswerView },
): Promise<readonly CoveringQuote[]> {
  const { weight, kind = [], isOfKind = null, sides, neighbours = new Map() } = knowledge;
  const asked = readAsked(search.query, knowledge, withoutTopic);
  const membersIn = namedMembers(search);
  const fitOf = answerFit(search.query, isOfKind);
  const breather = new Breather();
  const [contexts, questions] = [new Contexts(breather), new Contexts(breather)];
  const outdated = new Map(
    Array.from(view.outdated, ([turn, of]) => [turn as string, isOutdatedSentence(of)]),
  );
  const covering: CoveringQuote[] = [];
  const withheld = new Set<Thought>();
  for (const quote of await gradually(candidateQuotes(search, neighbours), breather)) {
    await breather.breathe();
    const { item, text } = quote;
    const speaker = item.kind === 'episode' ? item.speaker : null;
    const isOutdated = item.kind !== 'fact' && outdated.get(item.id)?.(text) === true;
    if (isOutdated || asked.isOfOther(text) || asked.isOfAnother(text, speaker)) {
      if (quote.said !== null) withheld.add(quote.said.thoughts[quote.said.at]!);
      continue;
    }
    const words = new Set(analyze(text));
    const told = newsOf(quote, words, asked);
    if (told === null) continue;
    const around = await contexts.termsOf(quote.context);
    const members = membersIn(words);
    const isMember = members.length > 0 || isOfKind?.(text) === true;
    const own = sharesOf({ text, words, around, isMember, members }, asked, kind);
    const isAround = (term: string) => around.has(term);
    const says = (term: string) => own(term) > 0;
    const has = (term: string) => says(term) || isAround(term);
    const fits = fitOf(text, quote.clock);
    if (!asked.hasSubstance({ text, says, has, fits }) || !asked.required.every(has)) continue;
    const about = ownershipOf(quote, sides);
    if (about === 0 && item.kind === 'fact') continue;
    const coverage = coverageOf(asked, weight, { own, isAround });
    const question = repliedTo(quote);
    const replies = await questions.termsOf(question ?? '');
    const same = question === null ? 0 : weightOf(asked, weight, (term) => replies.has(term));
    covering.push({
      ...quote,
      members,
      about,
      coverage: coverage.coverage,
      coverageAround: coverage.coverageAround,
      hasNames: asked.named.every(has) && !asked.isElsewhere(text, says),
      fits,
      hasEnded: hasEnded(quote.invalidAt, view.at),
      withheld,
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
  return covering;
}

/** The end of a turn in which its last sentence is looked for; in characters. */
const LONGEST_QUESTION = 600;

/** The question at the end of the turn before a quote's. */
function repliedTo({ said }: Quote): string | null {
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
