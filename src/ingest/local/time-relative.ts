import type { Milliseconds } from '../../model/ids.ts';
import type { Tense } from './tense.ts';
import {
  DAY,
  dayOf,
  type Interval,
  monthOf,
  type Season,
  seasonOf,
  weekdayOf,
  weekendOf,
  weekOf,
} from './time-math.ts';

export interface Anchor {
  readonly reference: Milliseconds;
  readonly tense: Tense;
}

const BACK: ReadonlySet<string> = new Set(['last', 'past', 'previous', 'this past']);

/** "Last Friday" is the nearest one before today, "next Friday" the one of the following calendar week. */
export function relativeWeekday(direction: string, weekday: number, anchor: Anchor): Interval {
  const word = direction.toLowerCase();
  if (BACK.has(word)) return backTo(weekday, anchor.reference);
  if (word === 'next') return dayOf(weekOf(anchor.reference + 7 * DAY).start + ((weekday + 6) % 7) * DAY);
  return anchor.tense === 'past' ? nearWeekday(weekday, anchor) : onTo(weekday, anchor.reference);
}

/** A bare weekday points back in a past sentence, else ahead; said on that very day it is that day. */
export function nearWeekday(weekday: number, { reference, tense }: Anchor): Interval {
  if (weekdayOf(reference) === weekday) return dayOf(reference);
  return tense === 'past' || tense === 'unknown' ? backTo(weekday, reference) : onTo(weekday, reference);
}

function backTo(weekday: number, reference: Milliseconds): Interval {
  return dayOf(reference - ((weekdayOf(reference) - weekday + 7) % 7 || 7) * DAY);
}

function onTo(weekday: number, reference: Milliseconds): Interval {
  return dayOf(reference + ((weekday - weekdayOf(reference) + 7) % 7) * DAY);
}

/** "This weekend" said in the week after it, in the past tense, is the one just gone. */
export function relativeWeekend(direction: string, { reference, tense }: Anchor): Interval {
  const current = weekendOf(reference);
  const begun = current.start <= reference;
  if (BACK.has(direction)) return weekendOf(reference - 7 * DAY);
  if (direction === 'next' || direction === 'following') return weekendOf(reference + 7 * DAY);
  return tense === 'past' && !begun ? weekendOf(reference - 7 * DAY) : current;
}

/** "Recent" may be the current month, "last" and "next" may not. */
export function relativeMonth(direction: string, month: number, { reference, tense }: Anchor): Interval {
  const word = direction.toLowerCase();
  const now = new Date(reference);
  const [year, ahead] = [now.getUTCFullYear(), month - now.getUTCMonth()];
  if (BACK.has(word)) return monthOf(ahead < 0 ? year : year - 1, month);
  if (word === 'next') return monthOf(ahead > 0 ? year : year + 1, month);
  if (word === 'recent' || tense === 'past') return monthOf(ahead <= 0 ? year : year - 1, month);
  return monthOf(ahead >= 0 ? year : year + 1, month);
}

/** "Last summer" is the latest that is over, "this summer" the one of the calendar year, or the running one. */
export function relativeSeason(direction: string, season: Season, { reference }: Anchor): Interval {
  const year = new Date(reference).getUTCFullYear();
  const candidates = [year - 2, year - 1, year, year + 1].map((each) => seasonOf(season, each));
  const over = candidates.filter((each) => each.end <= reference);
  const ahead = candidates.filter((each) => each.start > reference);
  const running = candidates.find((each) => each.start <= reference && reference < each.end);
  const word = direction.toLowerCase();
  if (BACK.has(word)) return over.at(-1)!;
  if (word === 'next') return ahead[0]!;
  if (word === 'coming') return running ?? ahead[0]!;
  return running ?? seasonOf(season, year);
}

export function nearSeason(season: Season, year: number): Interval {
  return seasonOf(season, year);
}
