import { MONTH_NAMES } from '../../../util/month-names.ts';
import { capitalized } from '../../../util/tidy.ts';

/** What a name of a date says; null where it leaves it open. */
export interface NamedDate {
  readonly year: string | null;
  /** "May 2023" */
  readonly month: string | null;
}

const MONTH = new RegExp(
  `\\b(${MONTH_NAMES.map((name) => `${name}|${name.slice(0, 3)}`).join('|')})\\b`,
  'i',
);
const YEAR = /\b((?:1[5-9]|20)\d\d)\b/;
const ISO = /^((?:1[5-9]|20)\d\d)-(\d\d)(?:-\d\d)?$/;
const WHOLE = new RegExp(
  `^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:1[5-9]|20)\\d\\d(?:s|-\\d\\d(?:-\\d\\d)?)?|(?:(?:early|late|mid|the|spring|summer|autumn|fall|winter|of|\\d{1,2}(?:st|nd|rd|th)?|${MONTH.source.slice(3, -3)})[\\s,-]*)+(?:(?:1[5-9]|20)\\d\\d)?)$`,
  'i',
);

/** Null unless the name is a date by its kind, or by its looks alone. */
export function readDate(name: string, isDate: boolean): NamedDate | null {
  if (!isDate && !(WHOLE.test(name) && /\d/.test(name))) return null;
  const iso = ISO.exec(name);
  if (iso !== null) return { year: iso[1]!, month: monthOf(Number(iso[2]) - 1, iso[1]!) };
  const year = YEAR.exec(name)?.[1] ?? null;
  const month = MONTH.exec(name)?.[1]?.slice(0, 3).toLowerCase();
  const index = MONTH_NAMES.findIndex((each) => each.slice(0, 3) === month);
  return { year, month: year === null ? null : monthOf(index, year) };
}

function monthOf(index: number, year: string): string | null {
  const name = MONTH_NAMES[index];
  return name === undefined ? null : `${capitalized(name)} ${year}`;
}

/** "May 2023" and "2023": the year that a category of dates is in. */
export function yearOfCategory(name: string): string | null {
  return /^(?:\p{L}+ |Other dates of )((?:1[5-9]|20)\d\d)$/u.exec(name)?.[1] ?? null;
}
