import type { TimeInterval } from '../../model/time-interval.ts';
import { MONTH_NAMES } from '../../util/month-names.ts';
import { DAY, SEASONS } from './time-math.ts';

/** An interval in words that need no context: "7 May 2023", "week of 1 May 2023", "April 2023", "summer 2022". */
export function describeInterval(interval: Omit<TimeInterval, 'text'>): string {
  const start = new Date(interval.start);
  const year = start.getUTCFullYear();
  switch (interval.precision) {
    case 'instant':
    case 'day':
      return dayName(start);
    case 'week':
      return `week of ${dayName(start)}`;
    case 'month':
      return monthName(start);
    case 'season':
      return `${seasonName(start)} ${year}`;
    case 'year':
      return String(year);
    case 'span':
      return spanName(interval);
  }
}

function dayName(date: Date): string {
  return `${date.getUTCDate()} ${monthName(date)}`;
}

function monthName(date: Date): string {
  const name = MONTH_NAMES[date.getUTCMonth()]!;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${date.getUTCFullYear()}`;
}

function seasonName(date: Date): string {
  return SEASONS[Math.floor(((date.getUTCMonth() + 1) % 12) / 3)]!;
}

/** A short span is named by its days, a longer one by its months or years: more would claim to know more. */
function spanName({ start, end }: Omit<TimeInterval, 'text'>): string {
  const [first, last] = [new Date(start), new Date(Math.max(start, end - 1))];
  const days = (end - start) / DAY;
  if (days <= 31) return joined(dayName(first), dayName(last));
  return days <= 3 * 366
    ? joined(monthName(first), monthName(last))
    : joined(String(first.getUTCFullYear()), String(last.getUTCFullYear()));
}

/** "6–7 May 2023" rather than "6 May 2023–7 May 2023". */
function joined(first: string, last: string): string {
  if (first === last) return first;
  const [ours, theirs] = [first.split(' '), last.split(' ')];
  while (ours.length > 1 && ours.at(-1) === theirs.at(-1)) {
    ours.pop();
    theirs.pop();
  }
  return `${ours.join(' ')}–${last}`;
}
