import { MONTH_NAMES } from '../../util/month-names.ts';
import { SEASONS, type Season, type Unit } from './time-math.ts';

export const WEEKDAY_NAMES: readonly string[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];

const NUMBER_WORDS = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** How many, as a range, because "a few" is one. */
export interface Amount {
  readonly least: number;
  readonly most: number;
}

export const AMOUNT = `a couple(?: of)?|couple(?: of)?|a few|few|several|an?|${NUMBER_WORDS.join('|')}|\\d{1,3}`;
export const UNIT = '(day|week|weekend|month|year)s?';
export const WEEKDAY = WEEKDAY_NAMES.join('|');
export const SHORT_WEEKDAY = 'mon|tues?|wed|thur?s?|fri|sat|sun';
export const MONTH = MONTH_NAMES.join('|');
export const SHORT_MONTH = 'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec';
export const SEASON = 'winter|spring|summer|fall|autumn';

export function toAmount(words: string): Amount {
  const text = words.toLowerCase();
  if (text.includes('couple')) return { least: 2, most: 2 };
  if (text.includes('few') || text === 'several') return { least: 2, most: 5 };
  const exact = text.startsWith('a') ? 1 : NUMBER_WORDS.indexOf(text) + 1 || Number(text);
  return { least: exact, most: exact };
}

export function toUnit(word: string): Unit {
  return word.toLowerCase() as Unit;
}

export function toWeekday(word: string): number {
  return WEEKDAY_NAMES.findIndex((name) => name.startsWith(word.toLowerCase().slice(0, 3)));
}

export function toMonth(word: string): number {
  return MONTH_NAMES.findIndex((name) => name.startsWith(word.toLowerCase().slice(0, 3)));
}

export function toSeason(word: string): Season | null {
  const name = word.toLowerCase();
  return name === 'autumn' ? 'fall' : (SEASONS.find((season) => season === name) ?? null);
}
