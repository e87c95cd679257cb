import type { Milliseconds } from '../model/ids.ts';
import type { TimeInterval } from '../model/nodes.ts';
import { isoDay } from '../util/iso-day.ts';
import { MONTH_NAMES } from '../util/month-names.ts';
import { sentenceSpans } from '../util/sentences.ts';

/** An interval without the words it was read from. */
export type Interval = Omit<TimeInterval, 'text'>;
export type Unit = 'day' | 'week' | 'weekend' | 'month' | 'year';

export const DAY: Milliseconds = 86_400_000;
export const SEASONS = ['winter', 'spring', 'summer', 'fall'] as const;
export type Season = (typeof SEASONS)[number];

// Everything here is UTC: a memory must not depend on the time zone of the machine that wrote it.

export function startOfDay(time: Milliseconds): Milliseconds {
  return Math.floor(time / DAY) * DAY;
}

/** 0 is Sunday. */
export function weekdayOf(time: Milliseconds): number {
  return new Date(time).getUTCDay();
}

export function dayOf(time: Milliseconds): Interval {
  const start = startOfDay(time);
  return { start, end: start + DAY, precision: 'day' };
}

/** From Monday up to the next Monday. */
export function weekOf(time: Milliseconds): Interval {
  const start = startOfDay(time) - ((weekdayOf(time) + 6) % 7) * DAY;
  return { start, end: start + 7 * DAY, precision: 'week' };
}

/** From Saturday up to Monday, in the week that contains the time. */
export function weekendOf(time: Milliseconds): Interval {
  const monday = weekOf(time).start;
  return { start: monday + 5 * DAY, end: monday + 7 * DAY, precision: 'span' };
}

/** `month` is zero-based and may be outside 0 to 11. */
export function monthOf(year: number, month: number): Interval {
  return { start: utc(year, month), end: utc(year, month + 1), precision: 'month' };
}

export function yearOf(year: number): Interval {
  return { start: utc(year, 0), end: utc(year + 1, 0), precision: 'year' };
}

/** Northern seasons of whole months; the winter of 2022 begins in December 2022. */
export function seasonOf(season: Season, year: number): Interval {
  const month = { spring: 2, summer: 5, fall: 8, winter: 11 }[season];
  return { start: utc(year, month), end: utc(year, month + 3), precision: 'season' };
}

/** A period that lasted from its start to its end. */
export function span(start: Milliseconds, end: Milliseconds): Interval {
  return { start, end, precision: 'span' };
}

/** A time somewhere between two bounds: "a few years ago". */
export function about(start: Milliseconds, end: Milliseconds): Interval {
  return { start, end, precision: 'about' };
}

export function utc(year: number, month: number, day = 1): Milliseconds {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

/** The calendar unit `count` units after the one that contains `time`; negative counts are before it. */
export function unitFrom(time: Milliseconds, unit: Unit, count: number): Interval {
  const date = new Date(time);
  switch (unit) {
    case 'day':
      return dayOf(time + count * DAY);
    case 'week':
      return weekOf(time + count * 7 * DAY);
    case 'weekend':
      return weekendOf(time + count * 7 * DAY);
    case 'month':
      return monthOf(date.getUTCFullYear(), date.getUTCMonth() + count);
    case 'year':
      return yearOf(date.getUTCFullYear() + count);
  }
}

/** The time moved by a number of units; in a shorter month it becomes that month's last day. */
export function shift(time: Milliseconds, unit: Unit, count: number): Milliseconds {
  if (unit === 'day') return time + count * DAY;
  if (unit === 'week' || unit === 'weekend') return time + count * 7 * DAY;
  const date = new Date(time);
  const months = date.getUTCMonth() + count * (unit === 'year' ? 12 : 1);
  const lastDay = new Date(utc(date.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return utc(date.getUTCFullYear(), months, day) + (time - startOfDay(time));
}

/**
 * Describes an interval without reference to the present: "7 May 2023", "week of 1 May 2023", "April 2023", "summer
 * 2022".
 */
export function describeInterval(interval: Omit<TimeInterval, 'text'>): string {
  const start = new Date(interval.start);
  const year = start.getUTCFullYear();
  if (Number.isNaN(year)) return isoDay(interval.start);
  switch (interval.precision) {
    case 'instant':
    case 'day':
      return dayName(start);
    case 'week':
      return `week of ${dayName(start)}`;
    case 'month':
      return monthName(start);
    case 'season':
      return `${SEASONS[Math.floor(((start.getUTCMonth() + 1) % 12) / 3)]!} ${year}`;
    case 'year':
      return String(year);
    case 'span':
      return spanName(interval);
    case 'about':
      return `around ${spanName(interval)}`;
  }
}

function dayName(date: Date): string {
  return `${date.getUTCDate()} ${monthName(date)}`;
}

function monthName(date: Date): string {
  const name = MONTH_NAMES[date.getUTCMonth()]!;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${date.getUTCFullYear()}`;
}

/** A short span is described by its days, a longer one by months or years, so as not to overstate the precision. */
function spanName({ start, end }: Omit<TimeInterval, 'text'>): string {
  const [first, last] = [new Date(start), new Date(Math.max(start, end - 1))];
  const days = (end - start) / DAY;
  if (days <= 31) return joined(dayName(first), dayName(last));
  return days <= 3 * 366
    ? joined(monthName(first), monthName(last))
    : joined(String(first.getUTCFullYear()), String(last.getUTCFullYear()));
}

/** "6–7 May 2023" rather than "6 May 2023–7 May 2023". */
function joined(first: string, last: string): string {
  if (first === last) return first;
  const [ours, theirs] = [first.split(' '), last.split(' ')];
  while (ours.length > 1 && ours.at(-1) === theirs.at(-1)) {
    ours.pop();
    theirs.pop();
  }
  return `${ours.join(' ')}–${last}`;
}

export type Tense = 'past' | 'present' | 'future' | 'unknown';

const FUTURE =
  /\b(?:will|shall|going to|gonna|'ll|plan(?:s|ning)?|upcoming|tomorrow|looking forward|(?:can not|cannot|can't) wait|want(?:s)? to|hop(?:e|es|ing) to|excited (?:for|about)|coming up|thinking (?:of|about))\b/i;
const PAST_WORD =
  "was|were|did|didn't|had|went|got|took|made|saw|met|came|began|paid|bought|brought|found|felt|gave|heard|kept|left|lost|ran|sang|said|sent|spent|taught|thought|told|won|wrote|ate|read|drove|flew|grew|knew|became|been|dug|sold|rode|swam|fell|slept|stood|woke|wore|threw|stole|spoke|drank|chose|broke|forgot|caught|built|quit|split|rang|swore|shook|sank|lit|shot|hid|froze|fought|bent|dealt|lent|meant|slid|struck|swept|tore|wept|withdrew|understood|overslept|hung|laid|led|fled|(?!(?:(?:over|under)?feed|(?:un)?heed|need|seed|weed|speed|greed|deed|indeed|bleed|breed|reed|steed|tweed|exceed|succeed|proceed|hundred|kindred|sacred|naked|wicked|embed|infrared)\\b)\\w{2,20}ed|ago|yesterday";
const PAST = new RegExp(`\\b(?:${PAST_WORD})\\b`, 'i');
const PRESENT =
  /\b(?:am|is|are|'m|'re|have|has|do|does|i|we|can|start|starts|leave|leaves|takes|opens|closes|begins|ends|meets|arrives|comes|goes|flies|happens|plays|gets|falls|turns)\b/i;
const FINITE = new RegExp(
  `\\b(?:(${PAST_WORD})|am|is|are|'m|'re|has|have|(?<!\\bto )(?:starts?|leaves?)|takes|opens|closes|begins|ends|meets|arrives|comes|goes|flies|happens|plays|gets|falls|turns|moves|visits|joins|lands|returns|retires|marries|works|lives|expires|runs)\\b`,
  'gi',
);
/** Participles that tell no past: "is booked", "is getting married", "has got", "an office called Tarn". */
const NOT_PAST =
  /(?<=\b(?:am|is|are|'m|'re|'s|be|being)(?: (?:not|now|still|also|already|just|all|both|finally|(?:kind|sort) of|a bit|kinda|so|very|too|pretty|quite|rather|\w{2,15}ly|getting|being)){0,2} )\w{2,20}ed\b|(?<=\b(?:has|have|'s|'ve)(?: (?:just|now|also|already|finally))? )got\b|(?<=\b(?:an?|the)(?: [\p{Ll}-]+){1,4} )(?:called|named)\b/gu;

/**
 * The direction that a bare "on Friday" or "in March" refers to. A plan counts as future even if it was made in the
 * past.
 */
export function inferTense(text: string): Tense {
  if (FUTURE.test(text)) return 'future';
  if (PAST.test(text) && PAST.test(withoutParticiples(text))) return 'past';
  return PRESENT.test(text) ? 'present' : 'unknown';
}

function withoutParticiples(text: string): string {
  return text.replace(NOT_PAST, (word) => '-'.repeat(word.length));
}

/**
 * The tense of the verb that a time at a position belongs to: the last one before it, else the first after it. "He got
 * a job, starts 1 May" and "The hall flooded, it is now the 20th" tell days ahead.
 *
 * @returns Null if no verb is known.
 */
export function tenseOfVerbAt(text: string, index: number): Tense | null {
  const { text: part, start } = partAround(text, index, SEMICOLON);
  const at = index - start;
  if (FUTURE.test(partAround(part, at, COMMA).text)) return 'future';
  const verbs = [...withoutParticiples(part).matchAll(FINITE)];
  const verb = verbs.findLast((each) => each.index < at) ?? verbs[0];
  if (verb === undefined) return null;
  return verb[1] === undefined ? 'present' : 'past';
}

/** Whether a time stands in a part of a sentence that has a noun of its own and no verb: "…, second round on 3 May". */
export function isInFragment(text: string, index: number): boolean {
  const part = partAround(text, index, COMMA);
  if (part.start === 0 || new RegExp(FINITE.source, 'i').test(part.text)) return false;
  return /\p{L}{3}/u.test(
    part.text.slice(0, index - part.start).replace(/\b(?:on|in|at|from|until|by|the|for|since|and)\b/gi, ''),
  );
}

const SEMICOLON = /;/g;
const COMMA = /[,;] /g;
const JOINT = /,?\s(?:and|but|so|then)\s(?=(?:i|we|you|he|she|it|they|there)\b)/gi;

/** The tense of the clause around a position; if it has no verb, that of its sentence, else that of the text. */
export function tenseAt(text: string, index: number): Tense {
  const whole = sentenceAround(text, index);
  const sentence = partAround(whole.text, index - whole.start, SEMICOLON);
  const clause = partAround(sentence.text, index - whole.start - sentence.start, JOINT);
  for (const part of [clause.text, sentence.text]) {
    const tense = inferTense(part);
    if (tense !== 'unknown') return tense;
  }
  return inferTense(text);
}

interface Part {
  readonly text: string;
  readonly start: number;
}

function sentenceAround(text: string, index: number): Part {
  for (const { start, end } of sentenceSpans(text))
    if (index < end) return { text: text.slice(start, end), start };
  return { text, start: 0 };
}

function partAround(text: string, index: number, border: RegExp): Part {
  let start = 0;
  for (const match of text.matchAll(border)) {
    if (match.index >= index) return { text: text.slice(start, match.index), start };
    start = match.index + match[0].length;
  }
  return { text: text.slice(start), start };
}

const MOVES =
  'plann?|deposit|(?:re)?book|(?:re)?schedul|reserv|arrang|confirm|slat|pencil|fix|mov|postpon|defer|adjourn|push|bump|delay|extend|prolong|bring|brought|put|advanc|shift|switch|swap|chang|sign|regist|invit|set|due|ticket|appointment|reservation|deadline';
/** Directly before a time. What was done by a day is past, unless it was due then. */
const ARRANGED = new RegExp(
  `(?:\\b(?:${MOVES})\\w*\\b[^.;!?]{0,60}(?:\\b(?:for|to|until|till|through)|[,:])|\\b(?:due|deadline|(?:re)?schedul|plann|expect)\\w*\\b[^.;!?]{0,60}\\bby)\\s+(?:(?:the|this|coming)\\s+)*$`,
  'i',
);
const MOVED_FROM = new RegExp(`\\b(?:${MOVES})\\w*\\b[^.;!?]{0,60}\\bfrom\\s+(?:the\\s+)?$`, 'i');
const INTENDED =
  /\b(?:decid|agree|promis|arrang|plann?|intend|offer|invit|ask|choos|chose)\w*\b(?: \w+){0,3} to\b[^.;!?]{0,60}$/i;

/** Whether a time after these words lies ahead of them, although their verb is past: "was moved to", "booked for". */
export function isArranged(before: string): boolean {
  return isPutTo(before) || INTENDED.test(before);
}

/** The same where the time itself is what was arranged: "was moved to", but not "agreed to come on". */
export function isPutTo(before: string): boolean {
  return ARRANGED.test(before);
}

/** Whether a time after these words no longer counts: "was moved from Tuesday to Thursday". */
export function isMovedFrom(before: string): boolean {
  return MOVED_FROM.test(before);
}
