import type { Milliseconds } from '../model/ids.ts';
import { readTimes, type TimeMention } from '../time/read-times.ts';

/** A half-open interval: `start` is included, `end` is not. */
export interface Span {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}

/** A time that a question names. */
interface AskedPeriod extends Span {
  /** Whether it means the same days of any year. */
  readonly yearly: boolean;
  /** Whether its words depend on the day of asking: "this week". */
  readonly isByAsking: boolean;
}

/** The times in a question. */
export interface AskedTime {
  /** Whether it asks for a time or mentions one. */
  readonly isAsked: boolean;
  /** The named times that have a definite place. */
  readonly periods: readonly AskedPeriod[];
  /** Whether it asks for what held then, and may have begun before: "as of December", "where did she live in May". */
  readonly asksState: boolean;
  /** Whether it asks for what was said then, whenever that happened. */
  readonly asksTold: boolean;
  /** The question without the words for these times. */
  readonly without: string;
}

const ASKS_FOR_TIME =
  /\b(?:how (?:long|recently)|(?:what|which) (?:times?|dates?|days?|weekdays?|weeks?|weekends?|months?|years?|seasons?|decades?)|how (?:many|much) (?:minutes|hours|days|weeks|weekends|months|years))\b/i;
const MENTIONS_TIME =
  /\b(?:recently|lately|currently|nowadays|latest|most recent(?:ly)?|(?:first|last) time|ago|weekend|easter|thanksgiving)\b/i;
/** Before a time or with it. */
const ASKS_UNTIL = /\b(?:as of|as at|until|till|up to|by)\s[^.?!]{0,40}$/i;
const ASKS_TOLD =
  /\b(?:talk(?:ed|ing)?|sp(?:eak|oke)|discuss(?:ed|ion)?|mention(?:ed)?|say|said|tell|told|shared?|chat(?:ted)?|conversations?)\b/i;
/** States that a person has for a while. */
const ASKS_STATE =
  /\b(?:live[ds]?|living|work(?:s|ed|ing)?|jobs?|home|employ(?:ed|er)|own(?:s|ed)?|stud(?:y|ied|ying)|married|dating|engaged|(?:do|does|did|has|have|had)(?: \S+){1,3} (?:have|had|use))\b/i;
/** Said on another day, the same words mean another time; "in May" mostly means the same. */
const BY_DAY_OF_ASKING = /\b(?:today|tonight|yesterday|tomorrow|this|last|next|past|coming|ago)\b/i;
/** Text between the two ends of a range. */
const UP_TO = /^\s*(?:to|until|till|through|-|–)\s*$/i;
/** Words before a time that go with it. */
const LEADS =
  /(?:^|\s)(?:as (?:of|at|mentioned)|back|in|on|at|by|during|from|between|until|till|up to|around|of|over|within)\s+(?:the\s+)?$/i;
/** No time is named without one of these; most questions skip the parser, which takes 0.1 ms. */
const MAY_NAME_TIME =
  /\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|halloween|new year|valentine|winter|spring|summer|autumn|fall|yester|today|tonight|tomorrow|last|this|next|past|ago|day|week|month|year|fortnight|(?:sun|mon|tues|wednes|thurs|fri|satur)day)/i;

interface AskedTimeOptions {
  /** Whether it asks for a time. */
  readonly asksWhen: boolean;
  /** The question's present. */
  readonly now: Milliseconds;
  /** Words that are no times, such as a speaker called April. */
  readonly names?: readonly string[] | undefined;
}

/** Reads the times in a question. */
export function readAskedTime(question: string, { asksWhen, now, names = [] }: AskedTimeOptions): AskedTime {
  const text = question
    .replace(/\bbetween\s+((?:(?!\band\b)[^.?!]){1,40}?)\s+and\s+/gi, '$1 to ')
    .replace(/\bfrom\s+(?=\d)/gi, '');
  // "This weekend" in a question means the coming one, regardless of its tense.
  const reading = { reference: now, tense: 'present' as const, bare: true, ignore: names };
  const named = MAY_NAME_TIME.test(text) ? withRanges(readTimes(text, reading), text) : [];
  return {
    isAsked: asksWhen || ASKS_FOR_TIME.test(text) || MENTIONS_TIME.test(text) || named.length > 0,
    periods: named.map(({ interval: { start, end }, year, index, length }) => {
      const isByAsking = BY_DAY_OF_ASKING.test(text.slice(index, index + length));
      return { start, end, yearly: year === 'open', isByAsking };
    }),
    asksState:
      ASKS_STATE.test(text) ||
      named.some(({ index, length }) => ASKS_UNTIL.test(text.slice(Math.max(0, index - 20), index + length))),
    asksTold: ASKS_TOLD.test(text),
    without: withoutTimes(text, named),
  };
}

function withoutTimes(text: string, named: readonly Placed[]): string {
  let [left, from] = ['', 0];
  for (const { index, length } of named) {
    left += text.slice(from, index).replace(LEADS, ' ');
    from = index + length;
  }
  const rest = `${left}${text.slice(from)}`.replace(/\s+/g, ' ');
  return rest.replace(/ (?=[?.!,])|, ?(?=[?.!,])/g, '').trim();
}

/** A turn with a wrong time makes a memory of centuries. */
const MOST_YEARS = 100;

/** The named times as intervals; those of any year, for all years around some moments. */
export function spansOf(
  { periods }: Pick<AskedTime, 'periods'>,
  { start: first, end: last }: Span,
): readonly Span[] {
  const to = yearOf(last) + 1;
  const from = Math.max(yearOf(first) - 1, to - MOST_YEARS);
  return periods.flatMap((period): readonly Span[] => {
    if (!period.yearly) return [period];
    const own = yearOf(period.start);
    return Array.from({ length: to - from + 1 }, (_, at) => ({
      start: moved(period.start, from + at - own),
      end: moved(period.end, from + at - own),
    }));
  });
}

/** Whether a moment is within a time that the question names. */
export function isAskedFor(at: Milliseconds, time: Pick<AskedTime, 'periods'>): boolean {
  return spansOf(time, { start: at, end: at }).some(({ start, end }) => start <= at && at < end);
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
  const years = yearOf(to.start) - yearOf(from.start);
  let [start, end] = [from.start, to.end];
  if (isOpen && !lastIsOpen) start = moved(start, moved(start, years) < end ? years : years - 1);
  if (lastIsOpen && !isOpen) end = moved(end, moved(end, -years) > start ? -years : 1 - years);
  if (isOpen && lastIsOpen && end <= start) end = moved(end, 1);
  const length = last.index + last.length - first.index;
  return { index: first.index, length, year, interval: { ...from, start, end } };
}

function yearOf(at: Milliseconds): number {
  return new Date(at).getUTCFullYear();
}

function moved(at: Milliseconds, years: number): Milliseconds {
  const date = new Date(at);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.getTime();
}
