import { readTimes, type TimeMention } from '../../../time/read-times.ts';
import { MONTH_NAMES } from '../../../util/month-names.ts';
import { capitalized } from '../../../util/tidy.ts';

/** The parts of a date that a name states; null for parts it does not state. */
export interface NamedDate {
  readonly year: string | null;
  /** "May 2023" */
  readonly month: string | null;
}

/** Returns null unless the whole name is a date, by its kind or by its form alone. */
export function readDate(name: string, isDate: boolean): NamedDate | null {
  const [time, ...others] = readTimes(name, { reference: 0, bare: true });
  const isWhole = time !== undefined && others.length === 0 && time.length >= name.trim().length;
  if (!isDate && !(isWhole && /\d/.test(name))) return null;
  return time === undefined || time.year !== 'stated' ? { year: null, month: null } : namedBy(time);
}

/** A range of several months or years is named by its first one. */
function namedBy({ interval: { start, precision } }: TimeMention): NamedDate {
  const date = new Date(start);
  const year = String(date.getUTCFullYear());
  const month = `${capitalized(MONTH_NAMES[date.getUTCMonth()]!)} ${year}`;
  return { year, month: precision === 'year' || precision === 'season' ? null : month };
}

/** The year of a category of dates: "May 2023" and "2023"; null for other names. */
export function yearOfCategory(name: string): string | null {
  return /^(?:\p{L}+ |Other dates of )((?:1[5-9]|20)\d\d)$/u.exec(name)?.[1] ?? null;
}
