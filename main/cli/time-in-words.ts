import { parseTimestamp } from '../../src/util/parse-timestamp.ts';
import { UsageError } from '../errors.ts';

const MINUTE = 60_000;
const AGO = /^(an?|\d{1,4})\s+(minute|hour)s?\s+ago$/i;

/**
 * The beginning of a time that a flag gives as a date ("2026-11-01") or in English words ("yesterday", "last week",
 * "2 hours ago"), in milliseconds since 1970; undefined without a text. Days begin at midnight UTC, as all commands
 * print them.
 *
 * @param flag As the user writes it, for the message.
 * @throws UsageError
 */
export async function timeInWords<Text extends string | undefined>(
  flag: string,
  given: Text,
): Promise<Text extends string ? number : number | undefined>;
export async function timeInWords(flag: string, given: string | undefined): Promise<number | undefined> {
  if (given === undefined) return undefined;
  const text = given.trim();
  const now = Date.now();
  const time = parseTimestamp(text) ?? agoOf(text, now) ?? (await readInWords(text, now));
  if (time !== null) return time;
  throw new UsageError(
    `${flag} is not a time such as 2026-11-01, "2026-11-01 09:30", yesterday, or "3 days ago"; nothing was done.`,
  );
}

function agoOf(text: string, now: number): number | null {
  if (text.toLowerCase() === 'now') return now;
  const [, amount, unit] = AGO.exec(text) ?? [];
  if (amount === undefined) return null;
  const count = /^an?$/i.test(amount) ? 1 : Number(amount);
  return now - count * (unit!.toLowerCase() === 'hour' ? 60 * MINUTE : MINUTE);
}

/** The reader of dates in texts takes a while to load. */
async function readInWords(text: string, reference: number): Promise<number | null> {
  const { readTimes } = await import('../../src/time/read-times.ts');
  const [time] = readTimes(text, { reference, tense: 'past', bare: true });
  // "yesterday at five" names more than the day that is read.
  return time !== undefined && time.length === text.length ? time.interval.start : null;
}
