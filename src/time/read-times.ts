import type { ParsedComponents, ParsedResult } from 'chrono-node';
import { strict } from 'chrono-node/en';
import type { Milliseconds } from '../model/ids.ts';
import type { TimeInterval } from '../model/nodes.ts';
import {
  about,
  DAY,
  dayOf,
  describeInterval,
  type Interval,
  isArranged,
  isInFragment,
  isMovedFrom,
  isPutTo,
  shift,
  span,
  startOfDay,
  type Tense,
  tenseAt,
  tenseOfVerbAt,
  unitFrom,
  utc,
  weekOf,
} from './calendar.ts';
import {
  AMOUNT,
  BARE_PART_RULES,
  BARE_RULES,
  EXACT_CUE,
  EXACT_RULES,
  TIME_RULES,
  type TimeRule,
  toAmount,
  toUnit,
  toWeekday,
  WEEKDAY,
  type YearOf,
} from './expressions.ts';

/** Only this many characters of a text are read. */
export const MAX_TIME_TEXT = 2_000;
/** A time outside of this range is a misreading (a price, a part number). */
const [EARLIEST, LATEST] = [utc(1000, 0), utc(2200, 0)];

const ANY_TIME =
  /\d|\b(?:today|tonight|yesterday|tomorrow|last|this|next|past|ago|back|since|for|the other|the|in|on|over|during|until|by|early|late|mid|of|from (?:now|today|tomorrow|next|this)|coming|christmas|year's|halloween|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/i;

export interface TimeMention {
  readonly interval: TimeInterval;
  readonly index: number;
  readonly length: number;
  /** Whether the words depend on the time at which they were said. */
  readonly relative: boolean;
  readonly year: YearOf;
  /** Whether it is only the beginning of what goes on: "for two years now", "since May". */
  readonly begins: boolean;
  /** The interval in absolute words, to be shown next to the original ones. */
  readonly shown: string;
}

export interface TimeOptions {
  /** When the text was said. */
  readonly reference: Milliseconds;
  /** Of the main verb, where no verb near a time tells another. Default: that of the clause around each time. */
  readonly tense?: Tense | undefined;
  /** Names that look like dates, such as a speaker called April. */
  readonly ignore?: readonly string[] | undefined;
  /** Whether months, years and ISO months count without a preposition: for questions and names of dates. */
  readonly bare?: boolean | undefined;
}

/**
 * The times in a text, in text order, as half-open UTC intervals. Reads the first `MAX_TIME_TEXT` characters. Our own
 * parsers resolve relative and vague expressions, chrono's parse written dates; expressions that neither can resolve
 * ("some day", "a week later") are omitted. A date without a year lies ahead unless its verb is past; a weekday beside
 * it decides; a date with neither verb nor weekday is omitted unless `bare`. English.
 */
export function readTimes(
  text: string,
  { reference, tense, ignore = [], bare = false }: TimeOptions,
): TimeMention[] {
  const read = mask(text.slice(0, MAX_TIME_TEXT), ignore);
  if (!bare && !ANY_TIME.test(read)) return [];
  return parse(read, { reference, tense, bare }).map((each) => toMention(text, each));
}

interface Reading extends Interval {
  readonly index: number;
  readonly length: number;
  readonly relative: boolean;
  readonly year: YearOf;
  readonly begins: boolean;
}

type ParseOptions = Pick<TimeOptions, 'reference' | 'tense'> & { readonly bare: boolean };

/** Reads what a pattern finds. */
interface TimeParser {
  readonly pattern: RegExp;
  readonly cues?: TimeRule['cues'];
  /** `length` of the words that were read; without an interval they hide no other time. */
  readonly read: (
    match: RegExpExecArray,
    text: string,
    options: ParseOptions,
  ) => { readonly length: number; readonly told: Told | null };
}

type Told = Omit<Reading, 'index' | 'length'>;

/** Of two readings of the same words the one of the lower rank counts. */
interface Ranked {
  readonly rank: number;
  readonly reading: Reading;
}

function parse(text: string, options: ParseOptions): Reading[] {
  const found: Ranked[] = [];
  const words = text.toLowerCase();
  const said = new Set(CUES.filter((cue) => words.includes(cue)));
  for (const { isFor, firstRank, parsers } of PARSERS)
    if (isFor(text, options))
      for (const [at, parser] of parsers.entries())
        if (parser.cues?.some((cue) => said.has(cue)) ?? true)
          for (const reading of readBy(parser, text, options)) found.push({ rank: firstRank + at, reading });
  if (MAY_BE_WRITTEN.test(text))
    for (const reading of readWritten(text, options)) found.push({ rank: WRITTEN_RANK, reading });
  return strongest(found.filter(({ reading }) => isPlausible(reading)));
}

/** From left to right, as chrono's parsers read. */
function* readBy({ pattern, read }: TimeParser, text: string, options: ParseOptions): Generator<Reading> {
  let start = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text.slice(start))) {
    match.index += start;
    const { index } = match;
    const { length, told } = read(match, text, options);
    if (told !== null) yield { ...told, index, length };
    start = index + length;
  }
}

/** Words of a rule that lead to its time. */
const LEAD = /^(?:(?:for|to|until|till|through|by|from|the|this|coming) )+/i;

function parserOf(rule: TimeRule): TimeParser {
  return {
    pattern: new RegExp(rule.pattern.source, 'i'),
    cues: rule.cues,
    read: (match, text, options) => ({ length: match[0].length, told: toldBy(rule, match, text, options) }),
  };
}

function toldBy(rule: TimeRule, match: RegExpExecArray, text: string, options: ParseOptions): Told | null {
  const end = match.index + match[0].length;
  const before = text.slice(Math.max(0, match.index - 60), match.index);
  const after = text.slice(end, end + 40);
  const said = `${before}${LEAD.exec(match[0])?.[0] ?? ''}`;
  if (rule.relative && isMovedFrom(said)) return null;
  const begins = /^since\b/i.test(match[0]) || SINCE.test(before);
  const interval = rule.resolve(match, {
    reference: options.reference,
    get tense() {
      if (begins) return 'past';
      const isAhead = isPutTo(said) && !/^['’]s\b/.test(after);
      return isAhead ? 'future' : tenseIn(options, text, match.index);
    },
    before,
    after,
  });
  return interval && { relative: rule.relative, year: rule.year, begins, ...interval };
}

function tenseIn({ tense, bare }: ParseOptions, text: string, index: number): Tense {
  if (tense === undefined) return tenseAt(text, index);
  return bare ? tense : (tenseOfVerbAt(text, index) ?? tense);
}

const BEFORE_OR_AFTER = new RegExp(
  `\\bthe (?<unit>night|day|week|weekend|month|year|${WEEKDAY}) (?<side>before|prior to|preceding|after|following) `,
  'i',
);
/** Maximum distance between "the week before" and its anchor: room for "the", "on", "my". */
const ANCHOR_GAP = 4;

/** A parser of a unit beside another time in the text, by groups: perhaps an `amount`, the `unit` and the `side`. */
function besideTime(
  pattern: RegExp,
  place: (
    anchor: Interval,
    sign: 1 | -1,
    found: { readonly unit: string; readonly amount: string },
  ) => Interval,
): TimeParser {
  return {
    pattern,
    cues: ['before', 'prior', 'preceding', 'after', 'following'],
    read(match, text, options) {
      const { unit, side, amount = '' } = match.groups!;
      const tail = match.index + match[0].length;
      const tense = tenseIn(options, text, match.index);
      const anchor = anchorAt(text.slice(tail, tail + 60), unit!, { ...options, tense });
      if (anchor === null) return { length: match[0].length, told: null };
      const interval = place(anchor, /after|following/i.test(side!) ? 1 : -1, {
        unit: unit!.toLowerCase(),
        amount,
      });
      return {
        length: match[0].length + anchor.until,
        told: { ...interval, relative: true, year: anchor.year, begins: false },
      };
    },
  };
}

/** "The week before last Friday". */
const ADJACENT_UNIT = besideTime(BEFORE_OR_AFTER, (anchor, sign, { unit }) => adjacentTo(unit, anchor, sign));

function anchorAt(
  tail: string,
  unit: string,
  options: ParseOptions,
): (Interval & { readonly until: number; readonly year: YearOf }) | null {
  const last = /^last\b(?! [a-z])/i.exec(tail);
  if (last !== null && /^(?:week|weekend|month|year)$/i.test(unit))
    return { ...unitFrom(options.reference, toUnit(unit), -1), until: last[0].length, year: 'computed' };
  const [first] = parse(tail, options);
  if (first === undefined || first.index > ANCHOR_GAP) return null;
  return { ...first, until: first.index + first.length };
}

function adjacentTo(unit: string, anchor: Interval, sign: 1 | -1): Interval {
  const edge = sign < 0 ? anchor.start : anchor.end - 1;
  if (unit === 'day' || unit === 'night') return dayOf(edge + sign * DAY);
  if (unit === 'week') return weekOf(edge + sign * 7 * DAY);
  if (unit === 'weekend' || unit === 'month' || unit === 'year') return unitFrom(edge, unit, sign);
  const [wanted, found] = [toWeekday(unit), new Date(edge).getUTCDay()];
  return dayOf(edge + sign * ((sign * (wanted - found) + 7) % 7 || 7) * DAY);
}

const BESIDE_BY = new RegExp(
  `\\b(?<amount>${AMOUNT}) (?<unit>day|week|month|year)s? (?<side>before|prior to|after|following) `,
  'i',
);
/** Days around "a week before" that it may mean, on either side. */
const GIVE: Readonly<Record<string, number>> = { day: 0, week: 3, month: 10, year: 100 };

/** "A week before Christmas": in questions, since what was told leaves open what is meant. */
const BESIDE_BY_AMOUNT = besideTime(BESIDE_BY, (anchor, sign, { unit, amount }) => {
  const edge = sign < 0 ? anchor.start : anchor.end - 1;
  const day = shift(edge, toUnit(unit), sign * toAmount(amount).most);
  return about(startOfDay(day - GIVE[unit]! * DAY), startOfDay(day + GIVE[unit]! * DAY) + DAY);
});

const MAY_BE_WRITTEN =
  /\d|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w{3,5}teenth|twentieth|thirtieth)\b/i;
const WRITTEN_RANK = 1;

const SLASH_WITHOUT_YEAR = /^\d{1,2}\/\d{1,2}$/;
const MODAL_MONTH = /^(?:may|march)\b|\b(?:may|march)$/;

/** Dates as chrono reads them; it receives noon of the reference's day, so that no daylight-saving gap of the machine's time zone affects it. */
function* readWritten(text: string, options: ParseOptions): Generator<Reading> {
  const noon = new Date(startOfDay(options.reference) + DAY / 2);
  for (const result of strict.parse(text, { instant: noon, timezone: 0 })) {
    if (isMisfire(result)) continue;
    // "10 March, 90 cars" is no year.
    const counted = /,? \d\d$/.exec(result.text);
    const isCount = counted?.[0].startsWith(',') === true;
    const length = isCount ? counted!.index : result.text.length;
    // "3 May to 7 June 2023" states the year of both.
    const yearly = isCount || (!result.start.isCertain('year') && result.end?.isCertain('year') !== true);
    const { index } = result;
    const said: Said = {
      ...options,
      tense: tenseIn(options, text, index),
      isFragment: options.tense !== undefined && isInFragment(text, index),
      before: text.slice(0, index),
      isOfNoun: isOfNoun(text, { index, text: result.text.slice(0, length) }),
    };
    const start = yearly ? yearlessDay(result.start, said) : writtenDay(result.start);
    if (start === null) continue;
    const end = result.end == null ? start : yearly ? yearlessDay(result.end, said) : writtenDay(result.end);
    yield {
      ...(end !== null && end > start ? span(start, end + DAY) : dayOf(start)),
      relative: yearly,
      year: yearly ? 'open' : 'stated',
      begins: SINCE.test(said.before),
      index,
      length,
    };
  }
}

/** A clock time alone is no date, nor is "in 3 hours"; "4/5" is a fraction; a month in lower case may be a verb. */
function isMisfire({ text, start }: ParsedResult): boolean {
  if (start.tags().has('result/relativeDateAndTime')) return true;
  if (!start.isCertain('month') || !start.isCertain('day')) return true;
  return SLASH_WITHOUT_YEAR.test(text) || (MODAL_MONTH.test(text) && !/\d(?:st|nd|rd|th)\b/.test(text));
}

function writtenDay(parsed: ParsedComponents): Milliseconds {
  return utc(parsed.get('year') ?? 0, (parsed.get('month') ?? 1) - 1, parsed.get('day') ?? 1);
}

interface Said extends Pick<ParseOptions, 'reference' | 'bare'> {
  readonly tense: Tense;
  /** Whether no verb tells the direction. */
  readonly isFragment: boolean;
  /** The text before the date. */
  readonly before: string;
  /** Whether the date is that of a noun, and not that of a past verb. */
  readonly isOfNoun: boolean;
}

/** With the date, in one clause: "I have enrolled in a workshop on …". */
const PERFECT =
  /(?:\b(?:have|has)|['’]ve)\b(?:(?!\b(?:i|we|you|he|she|it|they|who|that|which|when|since|because|after|before|while|and|but|so)\b)[^.;!?])*$/i;
const DETERMINER = /(?:\b(?:an?|our|my|his|her|their|its|your|this|that)|\p{L}['’]s)\s+$/iu;
const THE = /\bthe\s+$/i;

/** A perfect takes no past day: "I have registered for a webinar on 20 July". "Notes for our 10 September session" has a noun behind the day. */
function isOfNoun(
  whole: string,
  { text, index }: { readonly text: string; readonly index: number },
): boolean {
  const before = whole.slice(0, index);
  const isBeforeNoun = DETERMINER.test(before) || (THE.test(before) && /^\p{L}/u.test(text));
  return isBeforeNoun || PERFECT.test(before) || tenseOfVerbAt(whole, index) === 'present';
}

const SINCE =
  /\bsince (?:the )?(?:(?:beginning|start|middle|end) (?:of (?:the )?)?|(?:early|mid|late)[- ])?$/i;
const BORN = /\b(?:born|birth)\b.{0,12}$/i;
/** "The deposit for 12 May": past verbs, days ahead. */
const FOR_DAY = /\bfor (?:the )?$/i;

/** What was arranged for a day this recently past is not about the day a year later, nor the other way round. */
const CLOSE = 31 * DAY;

/**
 * The day of a date without a year: that on its weekday, if one is named; the next one, unless its verb is past and
 * does not arrange it ("was moved to 9 April"), or a noun has the day and it is close; null if nothing decides. Names, questions and parts without a verb take the nearest one.
 */
function yearlessDay(parsed: ParsedComponents, said: Said): Milliseconds | null {
  const [month, day] = [(parsed.get('month') ?? 1) - 1, parsed.get('day') ?? 1];
  const today = startOfDay(said.reference);
  const year = new Date(said.reference).getUTCFullYear();
  const all = [-1, 0, 1].map((off) => utc(year + off, month, day));
  const weekday = parsed.isCertain('weekday') ? parsed.get('weekday') : null;
  const fitting = all.filter((each) => new Date(each).getUTCDay() === weekday);
  const days = fitting.length === 0 ? all : fitting;
  if (said.bare || fitting.length === 1) return nearest(days, today);
  const [back, ahead] = [days.findLast((each) => each <= today), days.find((each) => each >= today)];
  if (SINCE.test(said.before)) return back ?? null;
  if (BORN.test(said.before)) return null;
  if (said.isFragment) return nearest(days, today);
  if (said.tense === 'unknown') return fitting.length === 0 ? null : nearest(days, today);
  if (said.tense !== 'past') return ahead ?? nearest(days, today);
  const isSoon = said.isOfNoun && ahead !== undefined && ahead - today < CLOSE;
  const isBack =
    back !== undefined &&
    (today - back < CLOSE || !(isSoon || isArranged(said.before) || FOR_DAY.test(said.before)));
  return (isBack ? back : ahead) ?? nearest(days, today);
}

function nearest(days: readonly Milliseconds[], today: Milliseconds): Milliseconds {
  return days.reduce((best, each) => (Math.abs(each - today) < Math.abs(best - today) ? each : best));
}

function isPlausible({ start, end }: Reading): boolean {
  return Number.isFinite(start) && start < end && start >= EARLIEST && end <= LATEST;
}

/** In text order. */
function strongest(found: readonly Ranked[]): Reading[] {
  const kept: Reading[] = [];
  for (const { reading } of [...found].sort((a, b) => a.rank - b.rank))
    if (!kept.some((other) => overlap(other, reading))) kept.push(reading);
  return kept.sort((a, b) => a.index - b.index);
}

function overlap(a: Reading, b: Reading): boolean {
  return a.index < b.index + b.length && b.index < a.index + a.length;
}

/** Parsers that may find something in a text. */
interface ParserGroup {
  readonly isFor: (text: string, options: ParseOptions) => boolean;
  /** Of the first of them. */
  readonly firstRank: number;
  readonly parsers: readonly TimeParser[];
}

const always = (): boolean => true;
const isBare = (_: string, { bare }: ParseOptions): boolean => bare;

/** The parsers for all times: in turns, questions, names of dates and a model's dates. */
const PARSERS: readonly ParserGroup[] = [
  { isFor: always, firstRank: 0, parsers: [ADJACENT_UNIT] },
  { isFor: isBare, firstRank: 0, parsers: [BESIDE_BY_AMOUNT] },
  { isFor: isBare, firstRank: 100, parsers: BARE_PART_RULES.map(parserOf) },
  { isFor: (text) => EXACT_CUE.test(text), firstRank: 200, parsers: EXACT_RULES.map(parserOf) },
  { isFor: always, firstRank: 300, parsers: TIME_RULES.map(parserOf) },
  { isFor: isBare, firstRank: 400, parsers: BARE_RULES.map(parserOf) },
];
/** The words that parsers name as their cues. */
const CUES = [...new Set(PARSERS.flatMap(({ parsers }) => parsers.flatMap(({ cues = [] }) => cues)))];

function toMention(text: string, reading: Reading): TimeMention {
  const { start, end, precision, index, length, relative, year, begins } = reading;
  const interval = { start, end, precision, text: text.slice(index, index + length).trim() };
  return { interval, index, length, relative, year, begins, shown: describeInterval(interval) };
}

function mask(text: string, names: readonly string[]): string {
  return names.reduce((masked, name) => masked.replaceAll(name, 'x'.repeat(name.length)), text);
}
