import type { FactLine } from '../../../main/contract.ts';
import { DAY, formatDate, text } from '../../strings/text.ts';

type Times = Pick<FactLine, 'validAt' | 'invalidAt' | 'saidAt'> &
  Partial<Pick<FactLine, 'eventAt' | 'statement'>>;

/** Of what goes on from a day, the statement says so: "for two years (since 2024)". */
const GOES_ON = /\bsince\b/i;
/** "Last week (week of 1 May 2023)" says its time, which is no day. */
const IS_SPAN = /\((?:week of |around )|\d\s?–\s?\d/;

/**
 * "since 8 May 2023", "8 May 2023 to 2 Jun 2024"; "told on 8 May 2023" for a fact whose turn names no date: nobody knows
 * since when it holds; "on 5 Jun 2023" for what happened or will happen then, "in May 2023" where no day is known.
 */
export function datesOf({
  validAt,
  invalidAt,
  saidAt,
  eventAt = null,
  statement = '',
}: Times): string | null {
  const words = text.memory.fact;
  const isDated = validAt !== saidAt;
  if (invalidAt === null) {
    if (eventAt !== null && !GOES_ON.test(statement)) {
      if (IS_SPAN.test(statement)) return null;
      return isDay(eventAt) ? words.on(formatFactDate(eventAt)) : words.in(formatFactDate(eventAt));
    }
    if (isDated) return words.since(formatFactDate(validAt));
    return saidAt === null ? null : words.told(formatDate(saidAt));
  }
  const to = formatFactDate(invalidAt);
  if (!isDated) return words.until(to);
  const from = formatFactDate(validAt);
  return from === to ? words.on(from) : words.between(from, to);
}

function isDay(at: number): boolean {
  return at % DAY !== 0 || new Date(at).getUTCDate() > 1;
}

const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', year: 'numeric', ...options });
const [year, month, day] = [utc({}), utc({ month: 'long' }), utc({ month: 'short', day: 'numeric' })];

/**
 * A date that somebody mentioned: "2019" and "May 2023" where only that is known. Memory keeps such a time as the
 * first midnight of the year, month or day, in UTC.
 */
export function formatFactDate(at: number): string {
  if (at % DAY !== 0) return formatDate(at);
  const date = new Date(at);
  if (date.getUTCDate() > 1) return day.format(at);
  return (date.getUTCMonth() > 0 ? month : year).format(at);
}

/** Below this, a fact is marked as unsure. */
const SURE = 0.5;
export const isUnsure = ({ confidence }: Pick<FactLine, 'confidence'>): boolean => confidence < SURE;
