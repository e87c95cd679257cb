import { InvalidInputError } from '../errors/index.ts';
import type { Milliseconds } from '../model/ids.ts';
import { DAY, startOfDay, utc, weekOf } from '../time/calendar.ts';

/** Equal parts of the calendar, from fine to coarse. Decades and centuries begin with a year that they divide. */
export const TIME_UNITS = ['hour', 'day', 'week', 'month', 'year', 'decade', 'century'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

const HOUR: Milliseconds = 3_600_000;
const YEARS = { year: 1, decade: 10, century: 100 } as const;
/** The finest unit that is chosen: dates of facts are days, system times are exact. */
const FINEST = { held: 'day', known: 'hour' } as const satisfies Record<string, TimeUnit>;

interface BucketOptions {
  /** Default: the finest that needs no more than `most` buckets. */
  readonly unit?: TimeUnit | undefined;
  readonly most: number;
  /** What is counted by. */
  readonly finest: keyof typeof FINEST;
}

/**
 * Where the buckets begin that cover a range, both ends included, and at last where the last one ends; no starts for
 * an empty range.
 *
 * @throws InvalidInputError if the unit that was asked for needs more than `most` buckets.
 */
export function bucketsBetween(
  range: readonly [Milliseconds, Milliseconds] | null,
  { unit, most, finest }: BucketOptions,
): { readonly unit: TimeUnit; readonly starts: readonly Milliseconds[] } {
  if (range === null) return { unit: unit ?? FINEST[finest], starts: [] };
  const units = unit === undefined ? TIME_UNITS.slice(TIME_UNITS.indexOf(FINEST[finest])) : [unit];
  for (const each of units) {
    const starts = startsOf(range, each, most);
    if (starts !== null) return { unit: each, starts };
  }
  if (unit === undefined) return { unit: 'century', starts: startsOf(range, 'century', Infinity)! };
  throw new InvalidInputError(`That time has more than ${most} buckets of one ${unit}; choose a larger unit`);
}

/** Null if there are more than `most`. */
function startsOf(
  [first, last]: readonly [Milliseconds, Milliseconds],
  unit: TimeUnit,
  most: number,
): Milliseconds[] | null {
  const starts = [startOf(first, unit)];
  while (starts.at(-1)! <= last) {
    if (starts.length > most) return null;
    starts.push(endOf(starts.at(-1)!, unit));
  }
  return starts;
}

function startOf(at: Milliseconds, unit: TimeUnit): Milliseconds {
  switch (unit) {
    case 'hour':
      return Math.floor(at / HOUR) * HOUR;
    case 'day':
      return startOfDay(at);
    case 'week':
      return weekOf(at).start;
    case 'month': {
      const date = new Date(at);
      return utc(date.getUTCFullYear(), date.getUTCMonth());
    }
    default: {
      const years = YEARS[unit];
      return utc(Math.floor(new Date(at).getUTCFullYear() / years) * years, 0);
    }
  }
}

/** The end of the bucket that begins at a time. */
function endOf(start: Milliseconds, unit: TimeUnit): Milliseconds {
  const date = new Date(start);
  switch (unit) {
    case 'hour':
      return start + HOUR;
    case 'day':
      return start + DAY;
    case 'week':
      return start + 7 * DAY;
    case 'month':
      return utc(date.getUTCFullYear(), date.getUTCMonth() + 1);
    default:
      return utc(date.getUTCFullYear() + YEARS[unit], 0);
  }
}
