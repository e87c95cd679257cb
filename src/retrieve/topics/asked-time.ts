import { casual, type ParsedComponents, type ParsedResult } from 'chrono-node';
import type { Milliseconds } from '../../model/ids.ts';
import type { Question } from '../question.ts';

/** From `start` up to, not including, `end`. */
interface Span {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}
/** A month, perhaps with a day, of any year. */
interface Yearly {
  /** 0 to 11. */
  readonly month: number;
  readonly day: number | null;
}

/** What a question says about times. */
export interface AskedTime {
  /** It asks for a time, or speaks of one. */
  readonly isAsked: boolean;
  /** The times that it names, as far as they can be placed. */
  readonly spans: readonly Span[];
  readonly yearly: readonly Yearly[];
}

const DAY = 86_400_000;
/** Longer questions are read up to here. */
const MOST_READ = 1_000;
const ASKS_FOR_TIME =
  /\b(?:how (?:long|recently)|(?:what|which) (?:times?|dates?|days?|weekdays?|weeks?|weekends?|months?|years?|seasons?|decades?)|how (?:many|much) (?:minutes|hours|days|weeks|weekends|months|years))\b/i;
const SPEAKS_OF_TIME =
  /\b(?:ago|recently|lately|currently|nowadays|latest|most recent(?:ly)?|(?:first|last) time|(?:last|this|next|past) (?:spring|summer|autumn|fall|winter|season|decade)|christmas|easter|halloween|thanksgiving|new year's)\b/i;
const YEAR = /\b(?:19|20)\d\d\b/g;
const LED_BY = /^(?:last|past|this|next|coming)\b/i;
const MODAL_MONTH = /^(?:may|march)$/i;
const LEADS_MONTH = /\b(?:in|of|early|late|mid|since|until|during|last|next|this)[\s-]+$/i;
/** "Sun" and "mon" are words of their own. */
const WHOLE_WEEKDAY = /(?:sun|mon|tues|wednes|thurs|fri|satur)day/i;
const FRACTION = /^\d{1,2}\/\d{1,2}$/;

/**
 * Reads the times of a question, in English, but for years and numeric dates; names of speakers ("April") are no times.
 *
 * @param reference The present of the question, for "last week".
 */
export function readAskedTime(
  { withoutSpeakers, asksWhen }: Pick<Question, 'withoutSpeakers' | 'asksWhen'>,
  reference: Milliseconds,
): AskedTime {
  const text = withoutSpeakers.slice(0, MOST_READ);
  const found = casual
    .parse(text, { instant: new Date(reference), timezone: 0 })
    .filter((result) => isTime(result, text));
  const years = [...text.matchAll(YEAR)].filter(
    ({ index }) =>
      !found.some((result) => result.index <= index && index < result.index + result.text.length),
  );
  const placed = found.map((result) => place(result, reference));
  const speaks = ASKS_FOR_TIME.test(text) || SPEAKS_OF_TIME.test(text);
  return {
    isAsked: asksWhen || speaks || found.length > 0 || years.length > 0,
    spans: [
      ...placed.flatMap((each) => (each !== null && 'start' in each ? [each] : [])),
      ...years.map(([year]) => ({ start: Date.UTC(Number(year), 0), end: Date.UTC(Number(year) + 1, 0) })),
    ],
    yearly: placed.flatMap((each) => (each !== null && 'month' in each ? [each] : [])),
  };
}

/** Whether a moment lies in a time that the question names. */
export function isAskedFor(at: Milliseconds, { spans, yearly }: AskedTime): boolean {
  const date = new Date(at);
  return (
    spans.some(({ start, end }) => start <= at && at < end) ||
    yearly.some(
      ({ month, day }) => date.getUTCMonth() === month && (day === null || date.getUTCDate() === day),
    )
  );
}

/** Leaves out clock times, fractions, and words that only look like a date. */
function isTime({ text, index, start }: ParsedResult, whole: string): boolean {
  if (FRACTION.test(text)) return false;
  if (MODAL_MONTH.test(text)) return LEADS_MONTH.test(whole.slice(0, index));
  if (['year', 'month', 'day'].some((part) => start.isCertain(part as 'year'))) return true;
  return WHOLE_WEEKDAY.test(text) || /weekend/i.test(text);
}

/** Null for what says no more than that it is a time, such as "on Fridays". */
function place(result: ParsedResult, reference: Milliseconds): Span | Yearly | null {
  const { text, start, end } = result;
  const isLed = LED_BY.test(text);
  if (/\bweekend\b/i.test(text)) return isLed ? days(dayOf(start), 2) : null;
  if (/\bweeks?\b/i.test(text))
    return /^(?:past|last) \S+ weeks/i.test(text) ? since(start, reference) : weekOf(dayOf(start));
  if (/^(?:past|last) \S+ (?:\S+ )?(?:days|months|years)/i.test(text)) return since(start, reference);
  if (start.isCertain('month') && !start.isCertain('year'))
    return { month: (start.get('month') ?? 1) - 1, day: start.isCertain('day') ? start.get('day') : null };
  if (!start.isCertain('year')) return isLed ? days(dayOf(start), 1) : null;
  return { start: spanOf(start).start, end: spanOf(end ?? start).end };
}

/** As long as what is certain of it: a day, a month, a year. */
function spanOf(part: ParsedComponents): Span {
  const [year, month] = [part.get('year') ?? 0, (part.get('month') ?? 1) - 1];
  if (part.isCertain('day')) return days(dayOf(part), 1);
  if (part.isCertain('month')) return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  return { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) };
}

function dayOf(part: ParsedComponents): Milliseconds {
  return Date.UTC(part.get('year') ?? 0, (part.get('month') ?? 1) - 1, part.get('day') ?? 1);
}

function days(start: Milliseconds, count: number): Span {
  return { start, end: start + count * DAY };
}

/** From Monday. */
function weekOf(day: Milliseconds): Span {
  return days(day - ((new Date(day).getUTCDay() + 6) % 7) * DAY, 7);
}

function since(part: ParsedComponents, reference: Milliseconds): Span {
  return { start: dayOf(part), end: reference + 1 };
}
