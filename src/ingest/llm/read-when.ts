import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/time-interval.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { tidy } from '../../util/tidy.ts';
import { resolveTimes } from '../local/resolve-time.ts';
import { dayOf, type Interval, monthOf, span, utc, yearOf } from '../local/time-math.ts';
import type { DropLog } from './drop-log.ts';
import type { Talk } from './talk.ts';

/** What lies further off is a misreading, as in `resolveTimes`. */
const [EARLIEST, LATEST] = [utc(1000, 0), utc(2200, 0)];
const LONGEST_WORDS = 100;

export interface ToldTime {
  /** The words for it, as spoken. */
  readonly said: string;
  /** The model's reading of them. */
  readonly date: string;
}

/**
 * The time that a fact speaks of. Words that our own rules can place are placed by them, because models miscount
 * weekdays; the model's date counts where it is narrower than, and inside, what the rules find, and where they find
 * nothing (another language). Words that no cited turn says, and dates without words that none bears out, are dropped.
 */
export function readWhen(
  told: ToldTime,
  cited: readonly number[],
  { talk, log }: { talk: Talk; log: DropLog },
): TimeInterval | null {
  const said = tidy(told.said).slice(0, LONGEST_WORDS);
  const dated = readDate(told.date);
  if (said === '' && dated === null) return null;
  const at = cited.find((turn) => talk.says(turn, said));
  const reference = talk.turns[at ?? cited.at(-1)!]!.validAt;
  if (at === undefined) return borneOut(dated, cited, { talk, log });
  const ruled = narrowest(resolveTimes(said, { reference }).map(({ interval }) => interval));
  const chosen = ruled === null || (dated !== null && isInside(dated, ruled)) ? dated : ruled;
  if (chosen === null) log.note('time', 'empty');
  return chosen === null ? null : { ...chosen, text: said };
}

/** A date without its words: that of a time that a cited turn speaks of. */
function borneOut(
  dated: Interval | null,
  cited: readonly number[],
  { talk, log }: { talk: Talk; log: DropLog },
): TimeInterval | null {
  const spoken = cited.flatMap((turn) =>
    resolveTimes(talk.text(turn), { reference: talk.turns[turn]!.validAt }).map(({ interval }) => interval),
  );
  const found =
    dated === null
      ? undefined
      : spoken.find((interval) => isInside(dated, interval) || isInside(interval, dated));
  if (found === undefined) log.note('time', 'not-said');
  return found ?? null;
}

/** The end of what is given for the time at which something ceased: more would claim to know more. */
export function readUntil(text: string): Milliseconds | null {
  return readDate(text)?.end ?? null;
}

/** YYYY, YYYY-MM, YYYY-MM-DD, two of these parted by a slash, or any timestamp; null for anything else. */
export function readDate(text: string): Interval | null {
  const parts = tidy(text)
    .split('/')
    .map((part) => part.trim());
  const [first, last] = parts.length === 2 ? parts.map(readSingle) : [readSingle(tidy(text)), undefined];
  if (last === undefined) return first ?? null;
  if (!first || !last || last.end <= first.start) return null;
  return last.start === first.start && last.end === first.end ? first : span(first.start, last.end);
}

function readSingle(text: string): Interval | null {
  const [, year, month] = /^(\d{4})(?:-(\d{2}))?$/.exec(text) ?? [];
  if (year !== undefined && month === undefined) return sane(yearOf(Number(year)));
  if (year !== undefined)
    return Number(month) >= 1 && Number(month) <= 12 ? sane(monthOf(Number(year), Number(month) - 1)) : null;
  const time = /^\d+$/.test(text) ? null : parseTimestamp(text);
  return time === null ? null : sane(dayOf(time));
}

function sane(interval: Interval): Interval | null {
  return interval.start >= EARLIEST && interval.end <= LATEST ? interval : null;
}

function isInside(inner: Omit<Interval, 'precision'>, outer: Omit<Interval, 'precision'>): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function narrowest(intervals: readonly TimeInterval[]): TimeInterval | null {
  return intervals.reduce<TimeInterval | null>(
    (best, each) => (best === null || each.end - each.start < best.end - best.start ? each : best),
    null,
  );
}
