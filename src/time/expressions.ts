import type { Milliseconds } from '../model/ids.ts';
import { MONTH_NAMES } from '../util/month-names.ts';
import {
  about,
  DAY,
  dayOf,
  type Interval,
  isArranged,
  monthOf,
  SEASONS,
  type Season,
  seasonOf,
  shift,
  span,
  startOfDay,
  type Tense,
  type Unit,
  unitFrom,
  utc,
  weekdayOf,
  weekendOf,
  weekOf,
  yearOf,
} from './calendar.ts';

interface Anchor {
  readonly reference: Milliseconds;
  readonly tense: Tense;
}

const BACK: ReadonlySet<string> = new Set(['last', 'past', 'previous', 'this past']);

/**
 * "Last Friday" is the nearest one before today, "this Friday" and "on Friday" the nearest one after it in a sentence
 * that is not past, "next Friday" the one of the following week, which begins on Monday.
 */
function relativeWeekday(direction: string, weekday: number, anchor: Anchor): Interval {
  const word = direction.toLowerCase();
  if (BACK.has(word)) return backTo(weekday, anchor.reference);
  if (word === 'next') return dayOf(weekOf(anchor.reference + 7 * DAY).start + ((weekday + 6) % 7) * DAY);
  return anchor.tense === 'past' ? nearWeekday(weekday, anchor) : onTo(weekday, anchor.reference);
}

/** A bare weekday refers to the past in a past sentence, else to the future; said on that weekday, it is that day. */
function nearWeekday(weekday: number, { reference, tense }: Anchor): Interval {
  if (weekdayOf(reference) === weekday) return dayOf(reference);
  return tense === 'past' || tense === 'unknown' ? backTo(weekday, reference) : onTo(weekday, reference);
}

function backTo(weekday: number, reference: Milliseconds): Interval {
  return dayOf(reference - ((weekdayOf(reference) - weekday + 7) % 7 || 7) * DAY);
}

function onTo(weekday: number, reference: Milliseconds): Interval {
  return dayOf(reference + ((weekday - weekdayOf(reference) + 7) % 7) * DAY);
}

/** "This weekend", said in the following week in the past tense, is the last weekend. */
function relativeWeekend(direction: string, { reference, tense }: Anchor): Interval {
  const current = weekendOf(reference);
  const begun = current.start <= reference;
  if (BACK.has(direction)) return weekendOf(reference - 7 * DAY);
  if (direction === 'next' || direction === 'following') return weekendOf(reference + 7 * DAY);
  return tense === 'past' && !begun ? weekendOf(reference - 7 * DAY) : current;
}

/** "Recent" may be the current month, "last" and "next" may not. */
function relativeMonth(direction: string, month: number, { reference, tense }: Anchor): Interval {
  const word = direction.toLowerCase();
  const now = new Date(reference);
  const [year, ahead] = [now.getUTCFullYear(), month - now.getUTCMonth()];
  if (BACK.has(word)) return monthOf(ahead < 0 ? year : year - 1, month);
  if (word === 'next') return monthOf(ahead > 0 ? year : year + 1, month);
  if (word === 'recent' || tense === 'past') return monthOf(ahead <= 0 ? year : year - 1, month);
  return monthOf(ahead >= 0 ? year : year + 1, month);
}

/** "Last summer" is the latest completed one, "this summer" the current one, else the nearest in the tense's direction. */
function relativeSeason(direction: string, season: Season, { reference, tense }: Anchor): Interval {
  const year = new Date(reference).getUTCFullYear();
  const candidates = [year - 2, year - 1, year, year + 1].map((each) => seasonOf(season, each));
  const over = candidates.filter((each) => each.end <= reference);
  const ahead = candidates.filter((each) => each.start > reference);
  const running = candidates.find((each) => each.start <= reference && reference < each.end);
  const word = direction.toLowerCase();
  if (BACK.has(word)) return over.at(-1)!;
  if (word === 'next') return ahead[0]!;
  if (word === 'coming') return running ?? ahead[0]!;
  return (
    running ?? (tense === 'past' ? over.at(-1)! : tense === 'future' ? ahead[0]! : seasonOf(season, year))
  );
}

interface TimeContext {
  readonly reference: Milliseconds;
  /** Found when it is read. */
  readonly tense: Tense;
  /** The text around the match, for rules that depend on it. */
  readonly before: string;
  readonly after: string;
}

/** How the year is determined: stated in the words, unknown (a day or month alone), or computed from the reference. */
export type YearOf = 'stated' | 'open' | 'computed';

export interface TimeRule {
  readonly pattern: RegExp;
  /** In lower case: a text with none of them has no match. Without it any text may have one. */
  readonly cues?: readonly string[] | undefined;
  /** Whether the words depend on the time at which they were said. */
  readonly relative: boolean;
  readonly year: YearOf;
  readonly resolve: (
    match: RegExpExecArray,
    context: TimeContext,
  ) => (Interval & { readonly year?: YearOf; readonly begins?: boolean }) | null;
}

function relative(source: string, resolve: TimeRule['resolve'], cues?: readonly string[]): TimeRule {
  return { pattern: new RegExp(source, 'gi'), cues, relative: true, year: 'computed', resolve };
}

function yearly(source: string, resolve: TimeRule['resolve'], cues?: readonly string[]): TimeRule {
  return { ...relative(source, resolve, cues), year: 'open' };
}

function absolute(source: string, resolve: TimeRule['resolve'], cues?: readonly string[]): TimeRule {
  return { ...relative(source, resolve, cues), relative: false, year: 'stated' };
}

export const WEEKDAY_NAMES: readonly string[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];

const NUMBER_WORDS = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

const FEASTS: Readonly<Record<string, readonly [month: number, day: number]>> = {
  'christmas eve': [11, 24],
  'christmas day': [11, 25],
  "new year's eve": [11, 31],
  "new year's day": [0, 1],
  halloween: [9, 31],
  "valentine's day": [1, 14],
};
const FEAST_NAMES = Object.keys(FEASTS).join('|');

/** A number as a range, because "a few" is one. */
export interface Amount {
  readonly least: number;
  readonly most: number;
}

export const AMOUNT = `a couple(?: of)?|couple(?: of)?|a few|few|several|an?|${NUMBER_WORDS.join('|')}|\\d{1,3}`;
const UNIT = '(day|week|weekend|month|year)s?';
export const WEEKDAY = WEEKDAY_NAMES.join('|');
const SHORT_WEEKDAY = 'mon|tues?|wed|thur?s?|fri|sat|sun';
export const MONTH = MONTH_NAMES.join('|');
export const SHORT_MONTH = 'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec';
const SEASON_NAMES = ['winter', 'spring', 'summer', 'fall', 'autumn'];
const SEASON = SEASON_NAMES.join('|');

export function toAmount(words: string): Amount {
  const text = words.toLowerCase();
  if (text.includes('couple')) return { least: 2, most: 2 };
  if (text.includes('few') || text === 'several') return { least: 2, most: 5 };
  const exact = text.startsWith('a') ? 1 : NUMBER_WORDS.indexOf(text) + 1 || Number(text);
  return { least: exact, most: exact };
}

export function toUnit(word: string): Unit {
  return word.toLowerCase() as Unit;
}

export function toWeekday(word: string): number {
  return WEEKDAY_NAMES.findIndex((name) => name.startsWith(word.toLowerCase().slice(0, 3)));
}

export function toMonth(word: string): number {
  return MONTH_NAMES.findIndex((name) => name.startsWith(word.toLowerCase().slice(0, 3)));
}

function toSeason(word: string): Season | null {
  const name = word.toLowerCase();
  return name === 'autumn' ? 'fall' : (SEASONS.find((season) => season === name) ?? null);
}

const RECURRING = /\b(?:every|each|most|some|other|an?|any|no)\s{1,3}(?:single\s|other\s)?$/i;
/** "Has been", "have had"; "has drops", "has to" and "had been" go on from no beginning. */
const PERFECT =
  /\b(?:(?:have|has|'ve|'s)(?: (?:not|now|also|just|only|already|never|always|\w{2,15}ly)){0,2} (?!got\b)(?:been|had|\w{2,20}(?:ed|own|ept|elt|ung|ilt|ade|old|one|ept|un|et)|taught|spent|left|lost)|(?<!\bhad )been)\b/i;
const REST_OF = /^\s{1,3}(?:of|in)\b(?!\s+(?:the\s+)?(?:year|month|week))/i;
/** Words that make a following "may" or "march" a month. */
const LEADS_MONTH =
  /\b(?:in|of|early|late|mid|since|until|during|last|next|this|between|from|to|and)[\s-]+$/i;
const TO_MONTH = new RegExp(`^\\s*(?:to|until|till|through|-|–)\\s+(?:${MONTH}|\\d)`, 'i');
const NEVER_A_YEAR = /^\s{0,2}(?:%|\$|km|kg|lbs?|miles|people|dollars|steps|calories|pieces|words)/i;

const UNITS = ['day', 'week', 'month', 'year'];
const BACKWARDS = ['last', 'past'];
const DIRECTIONS = ['last', 'past', 'this', 'next', 'coming'];
const CENTURIES = ['19', '20'];

/** Rules by priority: a match of an earlier rule hides matches of later ones in the same words. */
export const TIME_RULES: readonly TimeRule[] = [
  relative(`\\b(?:the )?day before yesterday\\b`, (_, { reference }) => unitFrom(reference, 'day', -2), [
    'yesterday',
  ]),
  relative(`\\b(?:the )?day after tomorrow\\b`, (_, { reference }) => unitFrom(reference, 'day', 2), [
    'tomorrow',
  ]),
  relative(`\\byesterday\\b|\\blast night\\b`, (_, { reference }) => unitFrom(reference, 'day', -1), [
    'yesterday',
    'last',
  ]),
  relative(`\\btomorrow\\b`, (_, { reference }) => unitFrom(reference, 'day', 1), ['tomorrow']),
  relative(
    `\\b(?:today|tonight|this (?:morning|afternoon|evening)|earlier today)\\b(?!'s (?:world|society|age))`,
    (_, { reference }) => dayOf(reference),
    ['today', 'tonight', 'this'],
  ),
  relative(
    `\\bthe other (?:day|night|evening|morning)\\b`,
    (_, { reference }) => about(unitFrom(reference, 'day', -7).start, dayOf(reference).start),
    ['other'],
  ),
  relative(
    `\\b(${AMOUNT}) (?:hour|minute)s? ago\\b`,
    (match, { reference }) =>
      /hour/i.test(match[0]) ? dayOf(reference - toAmount(match[1]!).most * 3_600_000) : dayOf(reference),
    ['ago'],
  ),
  relative(
    `\\b(${AMOUNT}) ${UNIT} (?:ago|back|before now)\\b`,
    (match, context) => amountFrom(match, context.reference, -1),
    ['ago', 'back', 'before'],
  ),
  relative(
    `\\b(?:in|within) (?:the next )?(${AMOUNT}) ${UNIT}\\b(?!'? (?:of|time off))`,
    (match, context) => (context.tense === 'past' ? null : amountFrom(match, context.reference, 1)),
    UNITS,
  ),
  relative(
    `\\b(${AMOUNT}) ${UNIT} from (?:now|today)\\b`,
    (match, context) => amountFrom(match, context.reference, 1),
    ['from'],
  ),
  relative(
    `\\b(?:(?:over|in|for|during|within) )?(?:the |these )?(?:last|past) (${AMOUNT}) ${UNIT}\\b`,
    (match, { reference, before }) =>
      /^for/i.test(match[0]) && PERFECT.test(before)
        ? beganBefore(match, reference)
        : span(shift(reference, toUnit(match[2]!), -toAmount(match[1]!).most), reference),
    BACKWARDS,
  ),
  relative(
    `\\b(?:over|during|in) the (?:last|past) (day|week|month|year)\\b`,
    (match, { reference, after }) =>
      REST_OF.test(after) ? null : span(shift(reference, toUnit(match[1]!), -1), reference),
    BACKWARDS,
  ),
  relative(`\\b(?:for|since) (?:about |over |almost |nearly |around |the )?(${AMOUNT}) ${UNIT}\\b`, heldFor, [
    'for',
    'since',
  ]),
  relative(
    `\\b(?:(?:early|earlier|late|later|all|over|since) )?(?:the )?(last|past|previous|this past|this coming|this|next|coming|following) (week|weekend|month|year)\\b`,
    (match, context) => (REST_OF.test(context.after) ? null : relativeUnit(match, context)),
    UNITS,
  ),
  relative(
    '\\b(?:over|during|at|on|(to|until|for)) the weekend\\b(?!s)',
    (match, context) =>
      context.tense === 'unknown' ||
      (match[1] !== undefined && context.tense !== 'future') ||
      REST_OF.test(context.after) ||
      /before|after/i.test(context.after.slice(0, 8))
        ? null
        : relativeWeekend('this', context),
    ['weekend'],
  ),
  relative(
    `\\b(?:on |since )?(last|past|this past|this coming|this|next|coming) (${WEEKDAY}|(?:${SHORT_WEEKDAY})(?=[\\s.,!?;]|$))\\b`,
    (match, { reference, tense, after }) =>
      REST_OF.test(after) ? null : relativeWeekday(match[1]!, toWeekday(match[2]!), { reference, tense }),
    DIRECTIONS,
  ),
  relative(
    `\\b(?:since )?(last|this past|this|next|coming) (${SEASON})\\b`,
    (match, { reference, tense }) => relativeSeason(match[1]!, toSeason(match[2]!)!, { reference, tense }),
    DIRECTIONS,
  ),
  relative(
    `\\b(?:since )?(last|this past|this|next|coming) (${MONTH})\\b`,
    (match, { reference, tense }) => relativeMonth(match[1]!, toMonth(match[2]!), { reference, tense }),
    DIRECTIONS,
  ),
  absolute(
    `\\b(since |from )?(?:early |late |mid-?)?(${MONTH}|(?:${SHORT_MONTH})\\b\\.?)(?: of|,)? ((?:19|20)\\d\\d)\\b`,
    (match, { reference }) => begun(match[1], monthOf(Number(match[3]), toMonth(match[2]!)), reference),
    CENTURIES,
  ),
  absolute(
    `\\b(?:the )?(${SEASON}) (?:of )?((?:19|20)\\d\\d)\\b`,
    (match) => seasonOf(toSeason(match[1]!)!, Number(match[2])),
    CENTURIES,
  ),
  absolute(
    `\\b(?:the )?(?:early |mid |late )?((?:19|20)\\d0)'?s\\b`,
    (match) => span(utc(Number(match[1]), 0), utc(Number(match[1]) + 10, 0)),
    CENTURIES,
  ),
  absolute(
    `\\b(since|in|back in|from|until|till|by|of|during|around|before|after|early|late|year|summer|winter|through)( late| early| mid)? ((?:19|20)\\d\\d)\\b(?![-/.:]\\d)`,
    (match, { reference, after }) =>
      NEVER_A_YEAR.test(after) ? null : begun(match[1], yearOf(Number(match[3])), reference),
    CENTURIES,
  ),
  absolute(`^\\s{0,3}((?:19|20)\\d\\d)\\s{0,3}$`, (match) => yearOf(Number(match[1])), CENTURIES),
  relative(
    `\\b(?:on |this |since |until |by |come )?(${WEEKDAY})\\b(?! (?:nights|mornings|afternoons|evenings|night lights))`,
    (match, context) => (RECURRING.test(context.before) ? null : nearWeekday(toWeekday(match[1]!), context)),
    ['day'],
  ),
  relative(
    `\\bon (${SHORT_WEEKDAY})(?=[\\s.,!?;]|$)`,
    (match, context) => (isCapital(match[1]!) ? nearWeekday(toWeekday(match[1]!), context) : null),
    ['on '],
  ),
  yearly(
    `\\b(in|back in|since|during|until|by|for|to|early|late|mid|of)[ -](${MONTH})\\b(?! \\d)`,
    (match, context) => bareMonth(match, context),
    MONTH_NAMES,
  ),
  relative(
    `\\b(?:in|during|over|since) (?:the )?(${SEASON})\\b(?!s| break)`,
    (match, { reference, tense }) => {
      const season = toSeason(match[1]!)!;
      if (tense === 'unknown' || tense === 'present') return null;
      return relativeSeason(tense === 'past' ? 'recent' : 'coming', season, { reference, tense });
    },
    SEASON_NAMES,
  ),
];

const ORDINALS = ['first', 'second', 'third', 'fourth'];
const PART_OF_MONTH = `\\b(?:on )?the (${ORDINALS.join('|')}|last) (${WEEKDAY}|week|weekend) (?:of|in) (?:(last|this|next) month|(${MONTH})(?: ((?:19|20)\\d\\d))?)\\b`;

/** As `BARE_RULES`, for expressions that other rules would match parts of. */
export const BARE_PART_RULES: readonly TimeRule[] = [
  yearly(
    `\\b(?:the )?(?:(early|mid|late)[ -]|(beginning|start|middle|end|first half|second half) of |(first|last) (?:(${AMOUNT}) )?(day|week)s? (?:of|in) )(${MONTH}|(?:${SHORT_MONTH})\\b)(?:,? ((?:19|20)\\d\\d))?\\b`,
    (match, context) => stretchOfMonth(match, context),
  ),
  // A weekday is another day of the month in another year.
  relative(PART_OF_MONTH, (match, context) => {
    const part = partOfMonth(match, { ...context, tense: 'past' });
    return part?.year === 'open' ? { ...part, year: 'computed' } : part;
  }),
  yearly(
    `\\b(?:${FEAST_NAMES}|christmas)\\b(?! (?:party|dinner|lunch|costume))`,
    (match, { reference, before }) => {
      if (/\b(?:last|this|next) $/i.test(before)) return null;
      const name = match[0].toLowerCase();
      const [month, day] = FEASTS[name] ?? [11, 25];
      const { start } = relativeMonth('recent', month, { reference, tense: 'past' });
      return dayOf(start + (day - 1) * DAY);
    },
  ),
];

/** Rules for texts where a time is expected: questions and names. */
export const BARE_RULES: readonly TimeRule[] = [
  absolute(`\\b((?:19|20)\\d\\d)-(\\d\\d)\\b(?!-)`, (match) =>
    Number(match[2]) >= 1 && Number(match[2]) <= 12 ? monthOf(Number(match[1]), Number(match[2]) - 1) : null,
  ),
  absolute(`\\b(?:1[5-9]|20)\\d\\d(?=\\D|$)`, (match) => yearOf(Number(match[0]))),
  yearly(`\\b(?:${MONTH}|${SHORT_MONTH})\\b`, (match, { reference, before, after }) => {
    const isMonth = LEADS_MONTH.test(before) || TO_MONTH.test(after);
    const isVerb = /^(?:may|march|mar)$/i.test(match[0]) && !isMonth;
    return isVerb ? null : relativeMonth('recent', toMonth(match[0]), { reference, tense: 'past' });
  }),
];

/** "Two weeks ago" is one calendar week, "a few weeks ago" somewhere in all weeks that it may mean. */
function amountFrom(match: RegExpExecArray, reference: Milliseconds, sign: 1 | -1): Interval {
  const { least, most } = toAmount(match[1]!);
  const unit = toUnit(match[2]!);
  if (least === most) return unitFrom(reference, unit, sign * least);
  const [near, far] = [shift(reference, unit, sign * least), shift(reference, unit, sign * most)];
  return about(dayOf(Math.min(near, far)).start, dayOf(Math.max(near, far)).end);
}

/** Something that goes on has a beginning and no end: "for three years now" began in the year three years ago. */
function beganBefore(match: RegExpExecArray, reference: Milliseconds): Interval & { readonly begins: true } {
  return { ...amountFrom(match, reference, -1), begins: true };
}

/** "For three years" tells a beginning only if it continues; in the simple past its end is unknown. */
function heldFor(match: RegExpExecArray, context: TimeContext): ReturnType<TimeRule['resolve']> {
  const goesOn =
    PERFECT.test(context.before) || /^since/i.test(match[0]) || /^\s{0,2}now\b/i.test(context.after);
  return goesOn ? beganBefore(match, context.reference) : null;
}

function relativeUnit(match: RegExpExecArray, { reference, tense }: TimeContext): Interval {
  const direction = match[1]!.toLowerCase();
  const unit = toUnit(match[2]!);
  if (unit === 'weekend') return relativeWeekend(direction, { reference, tense });
  if (direction === 'this') return unit === 'week' ? weekOf(reference) : unitFrom(reference, unit, 0);
  const back = ['last', 'past', 'previous', 'this past'].includes(direction);
  return unitFrom(reference, unit, back ? -1 : 1);
}

/** "Since 2016" tells that something began in 2016, which must be past; other prepositions do not change the period. */
function begun(
  preposition: string | undefined,
  period: Interval,
  reference: Milliseconds,
): ReturnType<TimeRule['resolve']> {
  if (!/^since/i.test(preposition ?? '')) return period;
  return period.start < reference ? { ...period, begins: true } : null;
}

/** "May" and "March" are months only when written with a capital. */
function bareMonth(
  match: RegExpExecArray,
  { reference, tense, before }: TimeContext,
): ReturnType<TimeRule['resolve']> {
  const name = match[2]!;
  if (!isCapital(name) && /^(?:may|march)$/i.test(name)) return null;
  // What is booked "for April" is in the future, regardless of the verb's tense.
  const isAhead = /^for$/i.test(match[1]!) || isArranged(`${before}${match[1]} `);
  if (/^to$/i.test(match[1]!) && !isAhead) return null;
  if (tense === 'unknown' && !isAhead && !/since/i.test(match[1]!)) return null;
  const back = !isAhead && (tense === 'past' || /since/i.test(match[1]!));
  const period = relativeMonth(back ? 'recent' : 'coming', toMonth(name), {
    reference,
    tense: back ? tense : 'future',
  });
  return begun(match[1], period, reference);
}

const THIRDS: Readonly<Record<string, readonly [from: number, to: number]>> = {
  early: [0, 10],
  beginning: [0, 10],
  start: [0, 10],
  mid: [10, 20],
  middle: [10, 20],
  late: [20, 31],
  end: [20, 31],
  'first half': [0, 15],
  'second half': [15, 31],
};

/** "The last two weeks of August", "mid-September". */
function stretchOfMonth(
  [, third, part, edge, amount = 'one', unit = 'day', name, year]: RegExpExecArray,
  { reference }: TimeContext,
): ReturnType<TimeRule['resolve']> {
  const recent = relativeMonth('recent', toMonth(name!), { reference, tense: 'past' });
  const month = year === undefined ? recent : monthOf(Number(year), toMonth(name!));
  const yearOf = year === undefined ? 'open' : 'stated';
  if (edge !== undefined) return { ...edgeOf(month, { edge, amount, unit }), year: yearOf };
  const [from, to] = THIRDS[(third ?? part)!.toLowerCase()]!;
  const [start, end] = [month.start + from * DAY, Math.min(month.start + to * DAY, month.end)];
  return { ...span(start, end), year: yearOf };
}

interface Edge {
  readonly edge: string;
  readonly amount: string;
  readonly unit: string;
}

function edgeOf(month: Interval, { edge, amount, unit }: Edge): Interval {
  const length = Math.min(toAmount(amount).most * (unit === 'week' ? 7 : 1) * DAY, month.end - month.start);
  const start = edge.toLowerCase() === 'first' ? month.start : month.end - length;
  return span(start, start + length);
}

/** In a statement: what is booked "for the last two weeks of July" lies ahead, although its verb is past. */
function toldEdge(
  [, preposition = '', edge, amount, unit, name, year]: RegExpExecArray,
  { reference, tense, before }: TimeContext,
): ReturnType<TimeRule['resolve']> {
  const isBack = tense === 'past' && !isArranged(`${before}${preposition}`);
  const near = relativeMonth(isBack ? 'recent' : 'coming', toMonth(name!), {
    reference,
    tense: isBack ? 'past' : 'future',
  });
  const month = year === undefined ? near : monthOf(Number(year), toMonth(name!));
  const stretch = edgeOf(month, { edge: edge!, amount: amount!, unit: unit! });
  return { ...stretch, year: year === undefined ? 'open' : 'stated' };
}

function isCapital(word: string): boolean {
  return word.charAt(0) !== word.charAt(0).toLowerCase();
}

const DAY_NUMBER = '([12]\\d|3[01]|0?[1-9])(?:st|nd|rd|th)';
/** What may follow a bare "on the 3rd"; before a noun it would be a floor or a try. */
const NO_NOUN = '(?=\\s{0,2}(?:[.,!?;)]|$)|\\s(?:and|at|but|so|with|for|to|in|when|because)\\b)';

/** A text without one of these matches no exact rule. */
export const EXACT_CUE =
  /\bago\b|\bfrom (?:today|tomorrow|next|this|\w{2,6}day)|before last|after next|fortnight|\d(?:st|nd|rd|th)\b|\bthe (?:first|second|third|fourth|last) |christmas|new year|halloween|valentine/i;

/**
 * Expressions for a single day, or relative to another time than the reference. Other rules would match parts of
 * them.
 */
export const EXACT_RULES: readonly TimeRule[] = [
  relative(`\\b(${AMOUNT}) (day|week|month|year)s? ago (?:today|tonight|to the day)\\b`, dayBack),
  relative(`\\b(?:exactly|precisely) (${AMOUNT}) (day|week|month|year)s? ago\\b`, dayBack),
  relative(`\\b(${AMOUNT}) weeks? ago,? (?:on |last |this past )?(${WEEKDAY})\\b`, (match, { reference }) =>
    weekdayNear(toWeekday(match[2]!), reference - exact(match[1]!) * 7 * DAY),
  ),
  relative(`\\b(?:on |last )?(${WEEKDAY}),? (${AMOUNT}) weeks? ago\\b`, (match, { reference }) =>
    weekdayNear(toWeekday(match[1]!), reference - exact(match[2]!) * 7 * DAY),
  ),
  relative(
    `\\b(${AMOUNT}) (day|week|month|year)s? from (today|tomorrow|(?:next |this |this coming )?(?:${WEEKDAY}))\\b`,
    dayOnward,
  ),
  relative(`\\b(${AMOUNT}) (${WEEKDAY})s ago\\b`, (match, { reference }) => {
    const last = relativeWeekday('last', toWeekday(match[2]!), { reference, tense: 'past' });
    return dayOf(last.start - (exact(match[1]!) - 1) * 7 * DAY);
  }),
  relative(`\\b(?:on )?the (${WEEKDAY}) before last\\b(?! [a-z])`, (match, { reference }) => {
    const last = relativeWeekday('last', toWeekday(match[1]!), { reference, tense: 'past' });
    return dayOf(last.start - 7 * DAY);
  }),
  relative('\\bthe (week|weekend|month|year) after next\\b', (match, { reference }) =>
    unitFrom(reference, toUnit(match[1]!), 2),
  ),
  relative('\\b(?:a|one) fortnight ago\\b', (_, { reference }) => unitFrom(reference, 'week', -2)),
  relative('\\bin a fortnight\\b', (_, { reference }) => unitFrom(reference, 'week', 2)),
  relative('\\bhalf a year ago\\b', (_, { reference }) => unitFrom(reference, 'month', -6)),
  relative('\\b(?:a|one) year and a half ago\\b', (_, { reference }) => unitFrom(reference, 'month', -18)),
  relative(`\\b(?:on )?the ${DAY_NUMBER} (?:of )?(last|this|next) month\\b`, (match, { reference }) =>
    dayOfMonth(Number(match[1]), reference, monthStep(match[2]!)),
  ),
  relative(`\\b(last|this|next) month,? on the ${DAY_NUMBER}\\b`, (match, { reference }) =>
    dayOfMonth(Number(match[2]), reference, monthStep(match[1]!)),
  ),
  relative(PART_OF_MONTH, partOfMonth),
  relative(
    `\\b(for )?the (first|last) (${AMOUNT}) (day|week)s (?:of|in) (${MONTH})(?:,? ((?:19|20)\\d\\d))?\\b`,
    toldEdge,
  ),
  relative(`\\bon the ${DAY_NUMBER}${NO_NOUN}`, bareDay),
  relative(`\\b(?:on |last |this |next )?(${FEAST_NAMES})\\b(?! (?:party|dinner|lunch|costume))`, feast),
];

function exact(words: string): number {
  return toAmount(words).most;
}

/** "A month ago today" is a day, "a month ago" is a month. */
function dayBack(match: RegExpExecArray, { reference }: TimeContext): Interval {
  return dayOf(shift(reference, toUnit(match[2]!), -exact(match[1]!)));
}

function weekdayNear(weekday: number, time: Milliseconds): Interval {
  const ahead = (weekday - weekdayOf(time) + 7) % 7;
  return dayOf(time + (ahead > 3 ? ahead - 7 : ahead) * DAY);
}

function dayOnward(match: RegExpExecArray, { reference }: TimeContext): Interval {
  const from = match[3]!.toLowerCase().split(' ');
  const anchor = { reference, tense: 'future' as Tense };
  const base =
    from[0] === 'today' || from[0] === 'tomorrow'
      ? startOfDay(reference) + (from[0] === 'tomorrow' ? DAY : 0)
      : from.length > 1
        ? relativeWeekday(from.slice(0, -1).join(' '), toWeekday(from.at(-1)!), anchor).start
        : nearWeekday(toWeekday(from[0]!), anchor).start;
  return dayOf(shift(base, toUnit(match[2]!), exact(match[1]!)));
}

function monthStep(direction: string): number {
  return { last: -1, this: 0, next: 1 }[direction.toLowerCase()] ?? 0;
}

/** Null if the month has no such day. */
function dayOfMonth(day: number, reference: Milliseconds, months: number): Interval | null {
  const date = new Date(reference);
  const start = utc(date.getUTCFullYear(), date.getUTCMonth() + months, day);
  return new Date(start).getUTCDate() === day ? dayOf(start) : null;
}

/** "On the 30th": the nearest month with that day, in the past for past tense, else in the future. */
function bareDay(match: RegExpExecArray, { reference, tense, before }: TimeContext): Interval | null {
  if (tense === 'unknown' || /\b(?:every|each)\b/i.test(before)) return null;
  const [day, today] = [Number(match[1]), startOfDay(reference)];
  for (const off of [0, 1, 2]) {
    const found = dayOfMonth(day, reference, tense === 'past' ? -off : off);
    if (found !== null && (tense === 'past' ? found.start <= today : found.start >= today)) return found;
  }
  return null;
}

/** "The last Friday of January", "the first week of next month". */
function partOfMonth(
  match: RegExpExecArray,
  { reference, tense }: TimeContext,
): ReturnType<TimeRule['resolve']> {
  const month = monthOfMatch(match, { reference, tense });
  const year = match[3] !== undefined ? 'computed' : match[5] === undefined ? 'open' : 'stated';
  const place = ORDINALS.indexOf(match[1]!.toLowerCase());
  const part = match[2]!.toLowerCase();
  if (part === 'week') {
    const start = place < 0 ? month.end - 7 * DAY : month.start + place * 7 * DAY;
    return { ...span(start, start + 7 * DAY), year };
  }
  const weekday = part === 'weekend' ? 6 : toWeekday(part);
  const first = month.start + ((weekday - weekdayOf(month.start) + 7) % 7) * DAY;
  const last = month.end - DAY - ((weekdayOf(month.end - DAY) - weekday + 7) % 7) * DAY;
  const start = place < 0 ? last : first + place * 7 * DAY;
  return { ...(part === 'weekend' ? span(start, start + 2 * DAY) : dayOf(start)), year };
}

function monthOfMatch(
  match: RegExpExecArray,
  { reference, tense }: Pick<TimeContext, 'reference' | 'tense'>,
): Interval {
  if (match[3] !== undefined) return unitFrom(reference, 'month', monthStep(match[3]));
  const month = toMonth(match[4]!);
  if (match[5] !== undefined) return unitFrom(utc(Number(match[5]), month), 'month', 0);
  const isAhead = tense === 'future' || tense === 'present';
  return relativeMonth(isAhead ? 'coming' : 'recent', month, { reference, tense });
}

function feast(match: RegExpExecArray, { reference, tense }: TimeContext): Interval | null {
  const direction = /^(?:last|this|next)/i.exec(match[0])?.[0].toLowerCase();
  const [month, day] = FEASTS[match[1]!.toLowerCase()]!;
  const year = new Date(reference).getUTCFullYear();
  const [back, today] = [
    direction === 'last' || (direction === undefined && tense === 'past'),
    startOfDay(reference),
  ];
  const days = [year - 1, year, year + 1].map((each) => utc(each, month, day));
  if (back)
    return dayOf(days.findLast((each) => each < today || (each === today && direction === undefined))!);
  return tense === 'unknown' && direction === undefined ? null : dayOf(days.find((each) => each >= today)!);
}
