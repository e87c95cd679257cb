import { casual, type ParsedResult } from 'chrono-node';
import type { Milliseconds } from '../../model/ids.ts';
import type { Question } from '../question.ts';
import { dayCode, placeTime, type Span, type Yearly, yearOf } from './place-time.ts';

/** What a question says about times. */
export interface AskedTime {
  /** It asks for a time, or speaks of one. */
  readonly isAsked: boolean;
  /** The times that it names, as far as they can be placed. */
  readonly spans: readonly Span[];
  readonly yearly: readonly Yearly[];
}

/** Longer questions are read up to here. */
const MOST_READ = 1_000;
const ASKS_FOR_TIME =
  /\b(?:how (?:long|recently)|(?:what|which) (?:times?|dates?|days?|weekdays?|weeks?|weekends?|months?|years?|seasons?|decades?)|how (?:many|much) (?:minutes|hours|days|weeks|weekends|months|years))\b/i;
const SPEAKS_OF_TIME =
  /\b(?:ago|recently|lately|currently|nowadays|latest|most recent(?:ly)?|(?:first|last) time|(?:last|this|next|past) (?:spring|summer|autumn|fall|winter|season|decade)|christmas|easter|halloween|thanksgiving|new year's)\b/i;
const YEAR = /\b(?:19|20)\d\d\b/g;
const MODAL_MONTH = /^(?:may|march)$/i;
const LEADS_MONTH = /\b(?:in|of|early|late|mid|since|until|during|last|next|this)[\s-]+$/i;
/** "Sun" and "mon" are words of their own. */
const WHOLE_WEEKDAY = /(?:sun|mon|tues|wednes|thurs|fri|satur)day/i;
const FRACTION = /^\d{1,2}\/\d{1,2}$/;
/** What stands between the two ends of a range. */
const UP_TO = /^\s*(?:to|until|till|through)\s*$/i;

/**
 * Reads the times of a question, in English, but for years and numeric dates; names of speakers ("April") are no times.
 *
 * @param reference The present of the question, for "last week".
 */
export function readAskedTime(
  { withoutSpeakers, asksWhen }: Pick<Question, 'withoutSpeakers' | 'asksWhen'>,
  reference: Milliseconds,
): AskedTime {
  const text = plainRanges(withoutSpeakers.slice(0, MOST_READ));
  const named = namedTimes(text, reference);
  const speaks = ASKS_FOR_TIME.test(text) || SPEAKS_OF_TIME.test(text);
  const placed = withRanges(named, text);
  return {
    isAsked: asksWhen || speaks || named.length > 0,
    spans: placed.flatMap((each) => (each !== null && 'start' in each ? [each] : [])),
    yearly: placed.flatMap((each) => (each !== null && 'first' in each ? [each] : [])),
  };
}

/** Whether a moment lies in a time that the question names. */
export function isAskedFor(at: Milliseconds, { spans, yearly }: AskedTime): boolean {
  const date = new Date(at);
  const code = dayCode(date.getUTCMonth() + 1, date.getUTCDate());
  return (
    spans.some(({ start, end }) => start <= at && at < end) ||
    yearly.some(({ first, last }) =>
      first <= last ? first <= code && code <= last : code >= first || code <= last,
    )
  );
}

/** A time with its place in the text. */
interface NamedTime {
  readonly from: number;
  readonly to: number;
  readonly time: Span | Yearly | null;
}

/** In the one form that chrono reads: "May to July" for "between May and July", "from 3 May to …" and "May – July". */
function plainRanges(text: string): string {
  return text
    .replace(/\bbetween\s+((?:(?!\band\b)[^.?!]){1,40}?)\s+and\s+/gi, '$1 to ')
    .replace(/\bfrom\s+(?=\d)/gi, '')
    .replace(/\s+-\s+|\s*–\s*/g, ' to ');
}

function namedTimes(text: string, reference: Milliseconds): NamedTime[] {
  const found = casual
    .parse(text, { instant: new Date(reference), timezone: 0 })
    .filter((result) => isTime(result, text))
    .map((result) => ({
      ...{ from: result.index, to: result.index + result.text.length },
      time: placeTime(result, reference),
    }));
  const years = [...text.matchAll(YEAR)]
    .map(({ index, 0: year }) => ({ from: index, to: index + year.length, time: yearOf(Number(year)) }))
    .filter(({ from }) => !found.some((each) => each.from <= from && from < each.to));
  return [...found, ...years].sort((a, b) => a.from - b.from);
}

/** Leaves out clock times, durations, fractions, and words that only look like a date. */
function isTime(result: ParsedResult, whole: string): boolean {
  const { text, index, start } = result;
  if (FRACTION.test(text) || isDuration(result)) return false;
  if (MODAL_MONTH.test(text)) return LEADS_MONTH.test(whole.slice(0, index));
  if (['year', 'month', 'day'].some((part) => start.isCertain(part as 'year'))) return true;
  return WHOLE_WEEKDAY.test(text) || /\bweek(?:end)?\b/i.test(text);
}

/** "In 3 hours", "for two weeks": chrono counts them from the present. "In 3 days" may be a time. */
function isDuration(result: ParsedResult): boolean {
  const tags = result.tags();
  if (/^(?:for|within)\b/i.test(result.text)) return tags.has('result/relativeDate');
  return /^in\b/i.test(result.text) && tags.has('result/relativeDateAndTime');
}

/** Two spans with no more than "to" between them are one. */
function withRanges(named: readonly NamedTime[], text: string): readonly NamedTime['time'][] {
  const joined: NamedTime[] = [];
  for (const next of named) {
    const last = joined.at(-1);
    const whole =
      last !== undefined && UP_TO.test(text.slice(last.to, next.from)) ? across(last.time, next.time) : null;
    if (whole === null) joined.push(next);
    else joined[joined.length - 1] = { from: last!.from, to: next.to, time: whole };
  }
  return joined.map(({ time }) => time);
}

function across(first: NamedTime['time'], last: NamedTime['time']): Span | null {
  if (first === null || last === null || !('start' in first) || !('start' in last)) return null;
  return first.start < last.end ? { start: first.start, end: last.end } : null;
}
