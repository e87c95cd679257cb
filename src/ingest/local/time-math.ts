import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/time-interval.ts';

/** An interval without the words it was read from. */
export type Interval = Omit<TimeInterval, 'text'>;
export type Unit = 'day' | 'week' | 'weekend' | 'month' | 'year';

export const DAY: Milliseconds = 86_400_000;
export const SEASONS = ['winter', 'spring', 'summer', 'fall'] as const;
export type Season = (typeof SEASONS)[number];

// Everything here is UTC: a memory must not change with the time zone of the machine that wrote it.

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

/** Monday to Monday. */
export function weekOf(time: Milliseconds): Interval {
  const start = startOfDay(time) - ((weekdayOf(time) + 6) % 7) * DAY;
  return { start, end: start + 7 * DAY, precision: 'week' };
}

/** Saturday to Monday, of the week that holds the time. */
export function weekendOf(time: Milliseconds): Interval {
  const monday = weekOf(time).start;
  return { start: monday + 5 * DAY, end: monday + 7 * DAY, precision: 'span' };
}

/** `month` counts from 0 and may lie outside 0 to 11. */
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

export function span(start: Milliseconds, end: Milliseconds): Interval {
  return { start, end, precision: 'span' };
}

export function utc(year: number, month: number, day = 1): Milliseconds {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

/** The calendar unit that lies `count` units from the one that holds `time`; negative is earlier. */
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

/** The time moved by a number of units; in a shorter month it stops at that month's last day. */
export function shift(time: Milliseconds, unit: Unit, count: number): Milliseconds {
  if (unit === 'day') return time + count * DAY;
  if (unit === 'week' || unit === 'weekend') return time + count * 7 * DAY;
  const date = new Date(time);
  const months = date.getUTCMonth() + count * (unit === 'year' ? 12 : 1);
  const lastDay = new Date(utc(date.getUTCFullYear(), months + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return utc(date.getUTCFullYear(), months, day) + (time - startOfDay(time));
}
