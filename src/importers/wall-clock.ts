/** What a clock on the wall shows; months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Offsets change at full quarters of an hour. */
const STEP = HOUR / 4;

/** Turns times on a zone's clocks into milliseconds since 1970. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #offsets = new Map<number, number>();

  /** A zone as IANA names it; throws RangeError for another. */
  constructor(timeZone: string) {
    this.#format =
      timeZone === 'UTC'
        ? null
        : new Intl.DateTimeFormat('en-US', { timeZone, ...NUMERIC, era: 'short', hourCycle: 'h23' });
  }

  /**
   * Null for a time that does not exist in any zone, such as 30 February. An hour that comes twice is taken for the
   * first, one that is left out in spring for the hour after it.
   */
  at(time: WallTime): number | null {
    const shown = utcOf(time);
    if (shown === null || this.#format === null) return shown;
    const [before, after] = [this.#offset(shown - DAY), this.#offset(shown + DAY)];
    const fits = [before, after].filter((offset) => this.#offset(shown - offset) === offset);
    return shown - (fits[0] ?? before);
  }

  #offset(at: number): number {
    const step = Math.floor(at / STEP);
    const known = this.#offsets.get(step);
    if (known !== undefined) return known;
    const offset = this.#measure(step * STEP);
    this.#offsets.set(step, offset);
    return offset;
  }

  #measure(at: number): number {
    const parts = Object.fromEntries(this.#format!.formatToParts(at).map(({ type, value }) => [type, value]));
    const [year, month, day, hour, minute, second] = FIELDS.map((field) => Number(parts[field]));
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - at;
  }
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
const NUMERIC = Object.fromEntries(FIELDS.map((field) => [field, 'numeric'])) as Record<
  (typeof FIELDS)[number],
  'numeric'
>;

function utcOf({ year, month, day, hour, minute, second }: WallTime): number | null {
  if (hour > 23 || minute > 59 || second > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.getTime() + (hour * 3600 + minute * 60 + second) * 1000;
}
