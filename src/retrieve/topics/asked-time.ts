import type { Milliseconds } from '../../model/ids.ts';
import { readTimes, type TimeMention } from '../../time/read-times.ts';
import type { Question } from '../question.ts';

/** A half-open interval: `start` is included, `end` is not. */
interface Span {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}
/**
 * Days of any year, both included, in the numbers of `dayCode`; if `last` is before `first`, it is in the next year.
 */
interface Yearly {
  readonly first: number;
  readonly last: number;
}

/** The times in a question. */
export interface AskedTime {
  /** Whether it asks for a time or mentions one. */
  readonly isAsked: boolean;
  /** The named times that have a definite place. */
  readonly spans: readonly Span[];
  readonly yearly: readonly Yearly[];
}

const ASKS_FOR_TIME =
  /\b(?:how (?:long|recently)|(?:what|which) (?:times?|dates?|days?|weekdays?|weeks?|weekends?|months?|years?|seasons?|decades?)|how (?:many|much) (?:minutes|hours|days|weeks|weekends|months|years))\b/i;
const MENTIONS_TIME =
  /\b(?:recently|lately|currently|nowadays|latest|most recent(?:ly)?|(?:first|last) time|ago|weekend|easter|thanksgiving)\b/i;
/** Text between the two ends of a range. */
const UP_TO = /^\s*(?:to|until|till|through|-|–)\s*$/i;

/**
 * Reads the times in a question; names of speakers ("April") are not times. @param reference The question's present.
 */
export function readAskedTime(
  { withoutSpeakers, asksWhen }: Pick<Question, 'withoutSpeakers' | 'asksWhen'>,
  reference: Milliseconds,
): AskedTime {
  const text = withoutSpeakers
    .replace(/\bbetween\s+((?:(?!\band\b)[^.?!]){1,40}?)\s+and\s+/gi, '$1 to ')
    .replace(/\bfrom\s+(?=\d)/gi, '');
  // "This weekend" in a question means the coming one, regardless of its tense.
  const named = readTimes(text, { reference, tense: 'present', bare: true });
  const placed = withRanges(named, text);
  return {
    isAsked: asksWhen || ASKS_FOR_TIME.test(text) || MENTIONS_TIME.test(text) || named.length > 0,
    spans: placed
      .filter(({ year }) => year !== 'open')
      .map(({ interval: { start, end } }) => ({ start, end })),
    yearly: placed.filter(({ year }) => year === 'open').map(({ interval }) => daysOf(interval)),
  };
}

/** Whether a moment is within a time that the question names. */
export function isAskedFor(at: Milliseconds, { spans, yearly }: AskedTime): boolean {
  const code = dayCode(at);
  return (
    spans.some(({ start, end }) => start <= at && at < end) ||
    yearly.some(({ first, last }) =>
      first <= last ? first <= code && code <= last : code >= first || code <= last,
    )
  );
}

function daysOf({ start, end }: Span): Yearly {
  const [first, last] = [dayCode(start), dayCode(end - 1)];
  // All of February, also in a leap year.
  return { first, last: last === 32 * 2 + 28 ? last + 1 : last };
}

/** Numbers the days of a year in order. */
function dayCode(at: Milliseconds): number {
  const date = new Date(at);
  return 32 * (date.getUTCMonth() + 1) + date.getUTCDate();
}

type Placed = Pick<TimeMention, 'interval' | 'year' | 'index' | 'length'>;

/** Joins two times with only "to" between them; one without a year gets the year of the other. */
function withRanges(named: readonly TimeMention[], text: string): readonly Placed[] {
  const joined: Placed[] = [];
  for (const next of named) {
    const last = joined.at(-1);
    const isRange = last !== undefined && UP_TO.test(text.slice(last.index + last.length, next.index));
    if (isRange) joined[joined.length - 1] = across(last, next);
    else joined.push(next);
  }
  return joined;
}

function across(first: Placed, last: Placed): Placed {
  const [isOpen, lastIsOpen] = [first.year === 'open', last.year === 'open'];
  const year = isOpen ? last.year : first.year;
  const [from, to] = [first.interval, last.interval];
  const years = new Date(to.start).getUTCFullYear() - new Date(from.start).getUTCFullYear();
  let [start, end] = [from.start, to.end];
  if (isOpen && !lastIsOpen) start = moved(start, moved(start, years) < end ? years : years - 1);
  if (lastIsOpen && !isOpen) end = moved(end, moved(end, -years) > start ? -years : 1 - years);
  const length = last.index + last.length - first.index;
  return { index: first.index, length, year, interval: { ...from, start, end } };
}

function moved(at: Milliseconds, years: number): Milliseconds {
  const date = new Date(at);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}
