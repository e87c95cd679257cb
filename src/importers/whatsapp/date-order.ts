import type { ReadSettings } from '../importer.ts';
import { gregorian } from './date-words.ts';

/** The first three numbers of a line, in order. */
export interface ShownDate {
  readonly numbers: readonly [number, number, number];
  /** Number of digits of the first and the last one; a year of two digits is in this century. */
  readonly digits: readonly [number, number];
  readonly separator: string;
}

export type DateOrder = Exclude<ReadSettings['dateOrder'], 'auto'>;

export interface FoundOrder {
  readonly order: DateOrder;
  /** The evidence for it; the last two are guesses. */
  readonly by: 'dates' | 'sequence' | 'habit';
}

/** Collects a file's dates; only all of them together determine which number is the month. */
export class DateOrders {
  #yearFirst = 0;
  #dayFirst = 0;
  #monthFirst = 0;
  #count = 0;
  #halfDays = 0;
  #dots = 0;
  /** Number of steps back in time, with the day first and with the month first. */
  readonly #back = { 'day-first': 0, 'month-first': 0 };
  readonly #before = { 'day-first': 0, 'month-first': 0 };

  add({ numbers, digits, separator }: ShownDate, isHalfDay: boolean): void {
    const [first, second, third] = numbers;
    this.#count++;
    if (isHalfDay) this.#halfDays++;
    if (separator === '.') this.#dots++;
    if (digits[0] > 2 || first > 31) this.#yearFirst++;
    else if (first > 12) this.#dayFirst++;
    else if (second > 12) this.#monthFirst++;
    this.#step('day-first', (third * 16 + second) * 32 + first);
    this.#step('month-first', (third * 16 + first) * 32 + second);
  }

  #step(order: 'day-first' | 'month-first', at: number): void {
    if (at < this.#before[order]) this.#back[order]++;
    this.#before[order] = at;
  }

  /** The order that the dates determine, else the one with the fewest steps back, else the default. */
  find(): FoundOrder {
    const most = Math.max(this.#yearFirst, this.#dayFirst, this.#monthFirst);
    if (most > 0 && most === this.#yearFirst) return { order: 'year-first', by: 'dates' };
    if (this.#dayFirst !== this.#monthFirst)
      return { order: this.#dayFirst === most ? 'day-first' : 'month-first', by: 'dates' };
    const [days, months] = [this.#back['day-first'], this.#back['month-first']];
    if (days !== months) return { order: days < months ? 'day-first' : 'month-first', by: 'sequence' };
    const isAmerican = this.#dots === 0 && this.#halfDays * 2 > this.#count;
    return { order: isAmerican ? 'month-first' : 'day-first', by: 'habit' };
  }
}

/** Year, month and day of the calendar of the West; null if this date contradicts the order. */
export function inOrder({ numbers: [first, second, third], digits }: ShownDate, order: DateOrder) {
  const [year, month, day] =
    order === 'year-first'
      ? [first, second, third]
      : order === 'day-first'
        ? [third, second, first]
        : [third, first, second];
  const yearDigits = digits[order === 'year-first' ? 0 : 1];
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  return gregorian({ year: yearDigits <= 2 ? fullYear(year) : year, month, day });
}

/** Of this century; those that are too late for it are of the Thai calendar: "69" is 2569, which is 2026. */
function fullYear(year: number): number {
  return year < LATEST_YEAR ? 2000 + year : 2500 + year;
}

const LATEST_YEAR = 60;
