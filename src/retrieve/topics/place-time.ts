import type { ParsedComponents, ParsedResult } from 'chrono-node';
import type { Milliseconds } from '../../model/ids.ts';

/** From `start` up to, not including, `end`. */
export interface Span {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}
/** Days of any year, both included, as `dayCode` counts them; the last may be before the first, in the next year. */
export interface Yearly {
  readonly first: number;
  readonly last: number;
}

const DAY = 86_400_000;
const LED_BY = /^(?:last|past|this|next|coming)\b/i;

/** Where in time it lies; null for what says no more than that it is a time, such as "on Fridays". */
export function placeTime({ text, start, end }: ParsedResult, reference: Milliseconds): Span | Yearly | null {
  if (end) return rangeOf(start, end);
  const isLed = LED_BY.test(text);
  if (/\bweekend\b/i.test(text)) return isLed ? weekend(text, reference) : null;
  if (/\bweeks?\b/i.test(text)) {
    if (/^(?:past|last) \S+ weeks/i.test(text)) return since(start, reference);
    // Of any day but a Sunday chrono takes "this week" for the Sunday before.
    return weekOf(/^this\b/i.test(text) ? reference : dayOf(start));
  }
  if (/^(?:past|last) \S+ (?:\S+ )?(?:days|months|years)/i.test(text)) return since(start, reference);
  if (start.isCertain('month') && !start.isCertain('year')) return yearly(start, start);
  if (!start.isCertain('year')) return isLed ? days(dayOf(start), 1) : null;
  return spanOf(start);
}

export function yearOf(year: number): Span {
  return { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) };
}

/** Tells the days of a year apart, in their order. */
export function dayCode(month: number, day: number): number {
  return 32 * month + day;
}

/** Of a range without a year chrono guesses one, for both of its ends. */
function rangeOf(start: ParsedComponents, end: ParsedComponents): Span | Yearly | null {
  if (!start.isCertain('month') && !start.isCertain('year')) return null;
  if (!start.isCertain('year') && !end.isCertain('year')) return yearly(start, end);
  const whole = { start: spanOf(start).start, end: spanOf(end).end };
  return whole.start < whole.end ? whole : spanOf(start);
}

function yearly(first: ParsedComponents, last: ParsedComponents): Yearly {
  const code = (part: ParsedComponents, otherwise: number) =>
    dayCode(part.get('month') ?? 1, part.isCertain('day') ? (part.get('day') ?? otherwise) : otherwise);
  return { first: code(first, 1), last: code(last, 31) };
}

/** As long as what is certain of it: a day, a month, a year. */
function spanOf(part: ParsedComponents): Span {
  const [year, month] = [part.get('year') ?? 0, (part.get('month') ?? 1) - 1];
  if (part.isCertain('day')) return days(dayOf(part), 1);
  if (part.isCertain('month')) return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
  return yearOf(year);
}

function dayOf(part: ParsedComponents): Milliseconds {
  return Date.UTC(part.get('year') ?? 0, (part.get('month') ?? 1) - 1, part.get('day') ?? 1);
}

function days(start: Milliseconds, count: number): Span {
  return { start, end: start + count * DAY };
}

/** Saturday and Sunday of the reference's week, of the one before or of the next. */
function weekend(text: string, reference: Milliseconds): Span {
  const weeks = /^(?:last|past)\b/i.test(text) ? -1 : /^this\b/i.test(text) ? 0 : 1;
  return days(weekOf(reference).start + (5 + 7 * weeks) * DAY, 2);
}

/** From Monday. */
function weekOf(at: Milliseconds): Span {
  const day = Math.floor(at / DAY) * DAY;
  return days(day - ((new Date(day).getUTCDay() + 6) % 7) * DAY, 7);
}

function since(part: ParsedComponents, reference: Milliseconds): Span {
  return { start: dayOf(part), end: reference + 1 };
}
