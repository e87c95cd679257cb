import { MONTH_NAMES } from './month-names.ts';

/** Longer texts are rejected; the limit also bounds the cost of the patterns below. */
const MAX_LENGTH = 100;

const EPOCH = /^-?\d{11,16}$/;
const ZONE =
  /(?:\b(?:utc|gmt)|(?<=[\d\s])z)?\s{0,3}(?<=:\d{2}(?:[.,]\d{1,9})?\s{0,3}|t\d{4,6}|utc|gmt)([+-]\d{2}):?(\d{2})$|(?:\b(?:utc|gmt)|(?<=[\d\s])z)$/i;
const TIME = /(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s{0,2}([ap])\.?m\b\.?)?/i;
const COMPACT_TIME = /(?<=^\s*t)(\d{2})(\d{2})(\d{2})?(?!\d)/i;
const HOUR = /\b(\d{1,2})\s{0,2}([ap])\.?m\b\.?/i;
const YEAR_FIRST = /\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=\D|$)/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?=\D|$)/;
const DAY_FIRST = /\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})\b/i;
const MONTH_FIRST = /\b([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b/i;
/** Words that may surround a date and a time without changing them. */
const FILLER =
  /^(?:[\s,()t]|\b(?:on|at|the|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b\.?)*$/i;

interface Found<Value> {
  readonly value: Value;
  readonly rest: string;
}
interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * Parses a time to milliseconds since 1970; null if the input names none.
 *
 * Accepts a Date, epoch milliseconds (also as text), ISO 8601, "2023/05/30 (Tue) 20:42", "1:56 pm on 8 May, 2023",
 * "May 8, 2023 1:56 PM", RFC 2822. A time without a zone is UTC, and a date without a time is its first instant,
 * independent of the machine's time zone. "8/5/2023" is null because the order of month and day is ambiguous.
 */
export function parseTimestamp(input: string | Date | number): number | null {
  return typeof input === 'string'
    ? (parseZoned(input)?.at ?? null)
    : within(input instanceof Date ? input.getTime() : Math.trunc(input));
}

/** A time, and how far the clock that it was read from is ahead of UTC. */
export interface ZonedTime {
  readonly at: number;
  readonly offset: number;
}

/** As `parseTimestamp`, with the offset of the text's zone: 0 without one. */
export function parseZoned(input: string): ZonedTime | null {
  const text = input.trim();
  if (text.length === 0 || text.length > MAX_LENGTH) return null;
  return EPOCH.test(text) ? zoned(Number(text), 0) : parseText(text);
}

function parseText(text: string): ZonedTime | null {
  const date = findDate(text);
  if (date === null) return null;
  const zone = findZone(date.rest);
  const time = findTime(zone.rest);
  if (time === null || !FILLER.test(time.rest)) return null;
  const midnight = dayStart(date.value);
  return midnight === null ? null : zoned(midnight + time.value - zone.value, zone.value);
}

function findDate(text: string): Found<CalendarDate> | null {
  const numeric = YEAR_FIRST.exec(text) ?? COMPACT.exec(text);
  if (numeric !== null) return found(text, numeric, toDate(numeric[1], numeric[2], numeric[3]));
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) return found(text, dayFirst, namedDate(dayFirst[1], dayFirst[2], dayFirst[3]));
  const monthFirst = MONTH_FIRST.exec(text);
  return monthFirst && found(text, monthFirst, namedDate(monthFirst[2], monthFirst[1], monthFirst[3]));
}

function found(text: string, match: RegExpExecArray, value: CalendarDate | null): Found<CalendarDate> | null {
  return value && { value, rest: cut(text, match) };
}

function namedDate(day?: string, month = '', year?: string): CalendarDate | null {
  const name = month.toLowerCase();
  const index = MONTH_NAMES.findIndex(
    (full) => full.startsWith(name) || (name === 'sept' && full === 'september'),
  );
  return index < 0 ? null : toDate(year, String(index + 1), day);
}

function toDate(year?: string, month?: string, day?: string): CalendarDate {
  return { year: Number(year), month: Number(month), day: Number(day) };
}

/** UTC midnight of a date; null for one that does not exist, such as 30 February. */
function dayStart({ year, month, day }: CalendarDate): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

function findZone(text: string): Found<number> {
  const match = ZONE.exec(text.trimEnd());
  if (match === null) return { value: 0, rest: text };
  const rest = cut(text.trimEnd(), match);
  if (match[1] === undefined) return { value: 0, rest };
  const sign = match[1].startsWith('-') ? -1 : 1;
  return { value: sign * (Math.abs(Number(match[1])) * 60 + Number(match[2])) * 60_000, rest };
}

/** Milliseconds since midnight: 0 without a time, null for an impossible one. */
function findTime(text: string): Found<number> | null {
  const match = TIME.exec(text) ?? COMPACT_TIME.exec(text);
  if (match === null) return findHour(text);
  const [minute, second] = [Number(match[2]), Number(match[3] ?? 0)];
  const hour = hourOfDay(Number(match[1]), match[5]);
  if (hour === null || minute > 59 || second > 60) return null;
  const fraction = Math.trunc(Number(`0.${match[4] ?? 0}`) * 1000);
  return { value: ((hour * 60 + minute) * 60 + second) * 1000 + fraction, rest: cut(text, match) };
}

function findHour(text: string): Found<number> | null {
  const match = HOUR.exec(text);
  if (match === null) return { value: 0, rest: text };
  const hour = hourOfDay(Number(match[1]), match[2]);
  return hour === null ? null : { value: hour * 3_600_000, rest: cut(text, match) };
}

function hourOfDay(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour > 24 ? null : hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function cut(text: string, match: RegExpExecArray): string {
  return `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
}

function zoned(time: number, offset: number): ZonedTime | null {
  const at = within(time);
  return at === null ? null : { at, offset };
}

/** Null outside the range of a JavaScript Date. */
function within(time: number): number | null {
  return Math.abs(time) <= 8.64e15 ? time : null;
}
