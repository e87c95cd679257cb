import type { Milliseconds } from '../model/ids.ts';
import { analyze } from '../search/analyzer.ts';
import { IRREGULAR_FORMS } from '../search/english.ts';
import { DAY, dayOf, type Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { MOST_ENUMERATED } from './defaults.ts';
import type { Passage } from './passages.ts';
import { timeOf as timeTold } from './quote-text.ts';
import type { ScoredQuote, TermKnowledge } from './score-quotes.ts';
import { knownUnits } from './verdict.ts';

/** What statements come to together, in words, and the statements. */
export interface Reckoning {
  readonly words: string;
  readonly passages: readonly Passage[];
  /** Whether it is a sum, whose parts are listed. */
  readonly isList: boolean;
}

/**
 * What a question asks to reckon: the sum of amounts of one currency ("How much did I spend on …?"), or the time between
 * two dated statements ("How many days between … and …?"). Null where the statements do not give it.
 */
export function reckoned(
  question: string,
  scored: readonly ScoredQuote[],
  knowledge: Knowledge,
): Reckoning | null {
  return sumOf(question, scored, knowledge) ?? timeBetween(question, scored, knowledge);
}

interface Knowledge extends Pick<TermKnowledge, 'weight' | 'isSpeaker' | 'people'> {
  /** The day on which it is asked: "today" in the question. */
  readonly now: Milliseconds;
}

const ASKS_SUM =
  /\bhow much (?:money )?(?:in (?:all|total) )?(?:has|have|had|did|do|does|was|were)\b.{0,80}\b(?:spen[dt]|pay|paid|cost|earn(?:ed)?|donated?|raised?|save[d]?|owe[ds]?|borrow(?:ed)?|len[dt])\b/i;
/** What happens to money; amounts of one kind are added. "It costs €5" is a price, not what somebody paid. */
const DEEDS = {
  spent: /\b(?:spen(?:d|ds|t|ding)|pa(?:y|ys|id|ying)|cost|bought|buy(?:s|ing)?|purchased?)\b/i,
  earned: /\b(?:earn\w*|got paid|was paid|am paid|paid me|received|salary|wages?|income|sold)\b/i,
  given: /\b(?:donat\w+|gave|given)\b/i,
  raised: /\braise[ds]?\b/i,
  saved: /\bsaved?\b/i,
  owed: /\b(?:owe[ds]?|owing|borrow\w*|len[dt]|debts?|loan)\b/i,
  price: /\bcosts\b/i,
} as const;
type Deed = keyof typeof DEEDS;
const OF_MONEY: ReadonlySet<string> = new Set(
  analyze(
    'spend spent pay paid cost costs earn earned donate raise save owe borrow lend lent buy bought money total all altogether sum much so far euro euros dollar dollars buck pound pounds quid franc crown',
  ),
);
const AMOUNT = String.raw`\d(?:[\d.,’']{0,14}\d)?`;
const MONEY = new RegExp(
  String.raw`(?<sign>[$€£])\s?(?<amount>${AMOUNT})(?![\d.,]*\d|\s?(?:k|m|million)\b)|` +
    String.raw`(?<![\d.,$€£])(?<number>${AMOUNT}) ?(?<unit>[$€£]|(?:euros?|dollars?|bucks|pounds|quid|EUR|USD|GBP|CHF|francs|crowns|kroner|yen)\b)`,
  'giu',
);
const SIGNS: Readonly<Record<string, string>> = {
  euro: '€',
  eur: '€',
  dollar: '$',
  buck: '$',
  usd: '$',
  pound: '£',
  quid: '£',
  gbp: '£',
};
/** A sentence that says the sum itself, or one of several payments. */
const SAYS_SUM = /\b(?:in (?:all|total)|altogether|total|each|per)\b/i;
/** What was not paid, or is only planned, asked or offered. */
const UNPAID =
  /\b(?:not|never|without|would|could|might|may|will|should|going to|plan\w* to|want\w* to|hop(?:e|es|ed|ing) to|wish\w*|if|budget\w*|worth|cheaper|instead of|almost|nearly|refus\w+|offer\w*|ask(?:s|ed|ing) for|price)\b|n['’]t\b|['’]ll\b/i;
const SAID_BEFORE =
  /\b(?:(?:as|like) (?:i|we) (?:said|told|mentioned|wrote)|told you|mentioned (?:before|already|earlier))\b/i;

interface Payment {
  readonly lead: ScoredQuote;
  readonly amount: number;
  readonly sign: string;
  /** Index terms of what it was for. */
  readonly things: ReadonlySet<string>;
}

function sumOf(
  question: string,
  scored: readonly ScoredQuote[],
  { isSpeaker }: Pick<TermKnowledge, 'isSpeaker'>,
): Reckoning | null {
  if (!ASKS_SUM.test(question)) return null;
  const asked = deedsIn(question);
  const topic = [...new Set(analyze(question))].filter((term) => !OF_MONEY.has(term) && !isSpeaker(term));
  const isThing = (term: string) =>
    !OF_MONEY.has(term) && !topic.includes(term) && !isSpeaker(term) && !/\d/.test(term);
  const turns = new Set<string>();
  const parts: Payment[] = [];
  for (const lead of scored) {
    const words = new Set(analyze(lead.text));
    if (!topic.every((term) => words.has(term)) || lead.turns.some((turn) => turns.has(turn))) continue;
    const amounts = [...lead.text.matchAll(MONEY)];
    const told = deedsIn(lead.text);
    const isOther = told.length > 0 && !told.some((deed) => asked.includes(deed));
    if (amounts.length === 0 || isOther || UNPAID.test(lead.text)) continue;
    const { sign, amount, number, unit = '' } = amounts[0]!.groups!;
    const value = amountOf((amount ?? number)!);
    if (amounts.length > 1 || SAYS_SUM.test(lead.text) || value === null) return null;
    for (const turn of lead.turns) turns.add(turn);
    const part = {
      ...{ lead, amount: value, things: new Set([...words].filter(isThing)) },
      sign: sign ?? SIGNS[unit.toLowerCase().replace(/s$/, '')] ?? unit.toLowerCase(),
    };
    if (!parts.some((other) => isOnePayment(part, other))) parts.push(part);
  }
  const [first] = parts;
  if (parts.length < 2 || parts.length > MOST_ENUMERATED || parts.some(({ sign }) => sign !== first!.sign))
    return null;
  const cents = Math.round(parts.reduce((total, { amount }) => total + amount, 0) * 100);
  const digits = cents % 100 === 0 ? 0 : 2;
  const written = (cents / 100).toLocaleString('en', { minimumFractionDigits: digits });
  return {
    words: /^\p{Sc}$/u.test(first!.sign)
      ? `At least ${first!.sign}${written}`
      : `At least ${written} ${first!.sign}`,
    passages: parts.map(({ lead }) => ({ lead, quotes: [lead] })),
    isList: true,
  };
}

/** What a text says of money; a question for what something costs asks for what was paid, too. */
function deedsIn(text: string): readonly Deed[] {
  return (Object.keys(DEEDS) as Deed[]).filter((deed) => DEEDS[deed].test(text));
}

/** "1,250.50", "1.250,50" and "12,50"; null where it is unclear which mark is the decimal one. */
function amountOf(written: string): number | null {
  const plain = written.replace(/[’']/g, '');
  const [, whole, decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(plain)!;
  const marks = new Set(whole!.match(/[.,]/g));
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})*$|^\d+$/.test(whole!) && marks.size < 2;
  return isGrouped ? Number(`${whole!.replace(/[.,]/g, '')}.${decimals || '0'}`) : null;
}

/** Whether a payment is told again: the same amount for the same thing, on the same day or "as I said". */
function isOnePayment(one: Payment, other: Payment): boolean {
  if (one.amount !== other.amount || one.sign !== other.sign) return false;
  const isSameThing =
    one.things.size === 0 ||
    other.things.size === 0 ||
    [...one.things].some((term) => other.things.has(term));
  const [day, otherDay] = [one, other].map(({ lead }) => dayOf(timeTold(lead).start).start);
  return isSameThing && (day === otherDay || [one, other].some(({ lead }) => SAID_BEFORE.test(lead.text)));
}

const BETWEEN = new RegExp(
  String.raw`^.{0,40}\bhow (?:long|much time|many (?<unit>days|weeks|months|years))\b.{0,40}?\b(?:` +
    'between (?<one>.{3,120}?) and (?<two>.{3,160})|' +
    'from (?<from>.{3,120}?) (?:to|until|till) (?<to>.{3,160})|' +
    '(?:until|till|before) (?<ahead>(?!.*\\b(?:did|was|were|had)\\b).{3,160})|' +
    '(?:after|before) (?<anchor>.{3,120}?) (?:did|was|were|had) (?<event>.{3,160}))$',
  'iu',
);
/** Share of a part's weight that its statement must say. */
const SAYS_PART = 0.7;
/** "How long did Ann wait until the concert?" */
const LASTED = /\bhow (?:long|much time|many \p{L}+) (?:did|was|were|had|has|have)(?!\p{L})/iu;
const IS_NOW = /^(?:right )?now[\s?.!]*$/i;
/** Characters around a date that is all of a part: "the 3rd of May?" */
const SHORT_FRAME = 6;

function timeBetween(
  question: string,
  scored: readonly ScoredQuote[],
  knowledge: Knowledge,
): Reckoning | null {
  const groups = BETWEEN.exec(question)?.groups;
  const [one, two] = [
    groups?.one ?? groups?.from ?? groups?.ahead ?? groups?.anchor,
    groups?.two ?? groups?.to ?? (groups?.ahead && 'now') ?? groups?.event,
  ];
  if (groups === undefined || one === undefined || two === undefined) return null;
  // "Until Ann flies to Rome" is a time, "until Rome" may be a way.
  const isAhead = groups.ahead !== undefined;
  const isEvent = isAhead && one.trim().includes(' ');
  if (!isEvent && [one, two].some((part) => !mayBeDated(part, knowledge.people))) return null;
  const [start, end] = [one, two].map((part) => datedStatement(part, scored, knowledge));
  if (!start || !end || start.at.start === end.at.start) return null;
  if (isAhead && (LASTED.test(question) || start.at.start < end.at.start)) return null;
  const ends = [start.at, end.at];
  const length = Math.abs(end.at.start - start.at.start);
  const wanted = groups.unit?.toLowerCase() ?? unitOf(length);
  const known = knownUnits(ends);
  const [name, each] = known.find(([unit]) => `${unit}s` === wanted) ?? known.at(-1)!;
  const amount = Math.round(length / each);
  if (amount === 0) return null;
  const isExact = name === 'day' && ends.every(({ precision }) => precision === 'day');
  const leads = [...new Set([start.lead, end.lead])].filter((lead) => lead !== null);
  if (leads.length === 0) return null;
  return {
    words: `${isExact ? '' : 'About '}${amount} ${name}${amount === 1 ? '' : 's'}`,
    passages: leads.map((lead) => ({ lead, quotes: [lead] })),
    isList: false,
  };
}

function unitOf(length: number): string {
  return length > 2 * 365.25 * DAY ? 'years' : length > 3 * 30.44 * DAY ? 'months' : 'days';
}

/** Whether a question asks for the time between two ends, which may be times themselves. */
export function asksBetween(question: string): boolean {
  return BETWEEN.test(question);
}

/** Words that begin a clause, or that say that something was done: "when it capsized", "Ann moved". */
const CLAUSE =
  /^(?:when|the (?:time|day|moment)|\p{L}+ing)(?!\p{L})|(?<!\p{L})(?:I|you|he|she|it|we|they)(?!\p{L})|\s\p{Ll}+ed(?!\p{L})/u;
/** What follows says more of what stands before. */
const FURTHER = /\s(?:of|in|at|on|to|for|with|by|from|into|that|which|who|where|last|this|next)\s.*$/u;

/** Whether a part of a question is an event or a date: "from the launch", but not "from Bern", which is no time. */
function mayBeDated(part: string, people: TermKnowledge['people']): boolean {
  const plain = part.replace(/[?.!\s]+$/, '');
  const words = plain.replace(FURTHER, '').match(/[\p{L}\p{N}-]+/gu) ?? [];
  const head = words.at(-1);
  if (people === undefined || head === undefined || CLAUSE.test(plain)) return true;
  if (words.some((word) => IRREGULAR_FORMS.has(word))) return true;
  const isName = /^\p{Lu}/u.test(head) && !people.isNoun(head.toLowerCase());
  return !isName && !people.isThing(head.toLowerCase());
}

interface Dated {
  /** Null where the question itself has the date. */
  readonly lead: ScoredQuote | null;
  readonly at: Interval;
}

/** The best statement of a part of a question that has a date, with that date. */
function datedStatement(
  part: string,
  scored: readonly ScoredQuote[],
  { weight, isSpeaker, now }: Knowledge,
): Dated | null {
  if (IS_NOW.test(part)) return { lead: null, at: dayOf(now) };
  const own = timeIn(part, now) ?? timeIn(`in ${part}`, now);
  if (own !== undefined && own.length > part.length - SHORT_FRAME) return { lead: null, at: own.interval };
  const terms = [...new Set(analyze(part))].filter((term) => !isSpeaker(term));
  const total = terms.reduce((sum, term) => sum + weight(term), 0);
  let [best, most] = [null as Dated | null, SAYS_PART];
  for (const lead of scored) {
    // Who says "I" says the name, too.
    const words = new Set(analyze(`${lead.item.kind === 'episode' ? lead.item.speaker : ''} ${lead.text}`));
    const share = terms.reduce((sum, term) => sum + (words.has(term) ? weight(term) : 0), 0) / total;
    if (!(share > most || (share === most && best === null))) continue;
    const time = timeOf(lead, part);
    if (time !== null) [best, most] = [{ lead, at: time }, share];
  }
  return best;
}

function timeIn(part: string, now: Milliseconds) {
  return readTimes(part, { reference: now, tense: 'present', bare: true })[0];
}

/** When a statement says that something was: by the date that stands nearest to the words of the part. */
function timeOf({ item, text, clock }: ScoredQuote, part: string): Interval | null {
  const times = readTimes(text, { reference: clock });
  const words = new Set(analyze(part));
  const places = Array.from(text.matchAll(/[\p{L}\p{N}-]+/gu)).flatMap(({ 0: word, index }) =>
    analyze(word).some((term) => words.has(term)) ? [index] : [],
  );
  const distance = (index: number) => Math.min(...places.map((place) => Math.abs(place - index)));
  const [nearest] = times.toSorted((a, b) => distance(a.index) - distance(b.index));
  return nearest?.interval ?? (item.kind === 'fact' ? item.event : null);
}
