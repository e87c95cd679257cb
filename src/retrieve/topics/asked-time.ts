import type { Milliseconds } from '../../model/ids.ts';
import { readTimes, type TimeMention } from '../../time/read-times.ts';
import type { Question } from '../question.ts';

/** From `start` up to, not including, `end`. */
interface Span {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}
/** Days of any year, both included, as `dayCode` counts them; the last may be before the first, in the next year. */
interface Yearly {
  readonly first: number;
  readonly last: number;
}

/** What a question says about times. */
export interface AskedTime {
  /** It asks for a time, or speaks of one. */
  readonly isAsked: boolean;
  /** The times that it names, as far as they can be placed. */
  readonly spans: readonly Span[];
  readonly yearly: readonly Yearly[];
}

const ASKS_FOR_TIME =
  /\b(?:how (?:long|recently)|(?:what|which) (?:times?|dates?|days?|weekdays?|weeks?|weekends?|months?|years?|seasons?|decades?)|how (?:many|much) (?:minutes|hours|days|weeks|weekends|months|years))\b/i;
const SPEAKS_OF_TIME =
  /\b(?:recently|lately|currently|nowadays|latest|most recent(?:ly)?|(?:first|last) time|ago|weekend|easter|thanksgiving)\b/i;
/** What stands between the two ends of a range. */
const UP_TO = /^\s*(?:to|until|till|through|-|–)\s*$/i;

/** Reads the times of a question; names of speakers ("April") are no times. @param reference Its present. */
export function readAskedTime(
  { withoutSpeakers, asksWhen }: Pick<Question, 'withoutSpeakers' | 'asksWhen'>,
  reference: Milliseconds,
): AskedTime {
  const text = withoutSpeakers
    .replace(/\bbetween\s+((?:(?!\band\b)[^.?!]){1,40}?)\s+and\s+/gi, '$1 to ')
    .replace(/\bfrom\s+(?=\d)/gi, '');
  // A question about "this weekend" means the coming one, in whatever tense it is asked.
  const named = readTimes(text, { reference, tense: 'present', bare: true });
  const placed = withRanges(named, text);
  return {
    isAsked: asksWhen || ASKS_FOR_TIME.test(text) || SPEAKS_OF_TIME.test(text) || named.length > 0,
    spans: placed
      .filter(({ year }) => year !== 'open')
      .map(({ interval: { start, end } }) => ({ start, end })),
    yearly: placed.filter(({ year }) => year === 'open').map(({ interval }) => daysOf(interval)),
  };
}

/** Whether a moment lies in a time that the question names. */
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
  // All of February, in a leap year too.
  return { first, last: last === 32 * 2 + 28 ? last + 1 : last };
}

/** Tells the days of a year apart, in their order. */
function dayCode(at: Milliseconds): number {
  const date = new Date(at);
  return 32 * (date.getUTCMonth() + 1) + date.getUTCDate();
}

type Placed = Pick<TimeMention, 'interval' | 'year' | 'index' | 'length'>;

/** Two times with no more than "to" between them are one: a year that one of them lacks is that of the other. */
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
