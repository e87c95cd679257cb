import { parseTimestamp } from '../util/parse-timestamp.ts';

/** Chats are not older than these, nor from so far ahead. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);
/** More seconds than these since 1970 are milliseconds: the year 5138. */
const SECONDS_UP_TO = 1e11;

export type ReadTime = { readonly at: number } | { readonly problem: string };

/** Seconds since 1970, as a number or its text; milliseconds where the number is too large for seconds. */
export function readUnixTime(value: unknown): ReadTime | null {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: 'is not a time' };
  return inRange(Math.round(number > SECONDS_UP_TO ? number : number * 1000));
}

/** ISO 8601 and the like; without a zone, or with one that is broken off ("…01.69+"), it is UTC. */
export function readIsoTime(value: unknown): ReadTime | null {
  if (value === null || value === undefined || value === '') return null;
  const at = typeof value === 'string' ? parseTimestamp(value.replace(/\+$/, '')) : null;
  return at === null ? { problem: 'is not a time' } : inRange(at);
}

export function inRange(at: number): ReadTime {
  return at > EARLIEST && at < LATEST ? { at } : { problem: 'is not a time between 1970 and 2200' };
}

/** A number is seconds, a text is ISO 8601; null where there is none, the reason where it cannot be read. */
export function timeOrReason(value: unknown): number | string | null {
  const time = typeof value === 'number' ? readUnixTime(value) : readIsoTime(value);
  if (time === null) return null;
  return 'at' in time ? time.at : time.problem;
}
