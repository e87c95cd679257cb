import { InvalidInputError } from '../../errors/index.ts';
import type { Milliseconds } from '../../model/ids.ts';

/** A part of a history, oldest first. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The number of items in all. */
  readonly total: number;
  /** Pass it as `after` to get the next page; null on the last one. */
  readonly next: string | null;
}

/** A row's position in a history: by time, then by system time, then by id. */
export interface Place {
  readonly at: Milliseconds;
  readonly createdAt: Milliseconds;
  readonly id: string;
}

/** Which page of a history. An invalid limit, or an `after` that no page returned, is an InvalidInputError. */
export interface PageRequest {
  /** From 1 to 500. Default 50. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page; default: the first page. */
  readonly after?: string | undefined;
}

const MOST = 500;
const CURSOR = /^(-?\d{1,16})\.(-?\d{1,16})\.(.+)$/s;

/**
 * The items after a cursor, in order. A cursor is a position, not an offset: rows added or removed between two calls
 * neither repeat nor hide others.
 *
 * @throws InvalidInputError for a limit out of bounds or a cursor that no page returned.
 */
export function pageOf<T>(
  all: readonly T[],
  placeOf: (item: T) => Place,
  { limit = 50, after }: PageRequest,
): Page<T> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new InvalidInputError(`The limit must be a whole number from 1 to ${MOST}`);
  const start = after === undefined ? null : readCursor(after);
  const sorted = all.toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  const left = start === null ? sorted : sorted.filter((item) => compare(placeOf(item), start) > 0);
  const items = left.slice(0, limit);
  const last = items.at(-1);
  const next = last === undefined || items.length === left.length ? null : cursorOf(placeOf(last));
  return { items, total: all.length, next };
}

/** The sort order of histories: by time, then by system time, then by id, so that no two rows tie. */
export function compare(a: Place, b: Place): number {
  return a.at - b.at || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function cursorOf({ at, createdAt, id }: Place): string {
  return `${at}.${createdAt}.${id}`;
}

function readCursor(cursor: string): Place {
  const match = CURSOR.exec(cursor);
  if (match === null) throw new InvalidInputError('The cursor was not returned by a history');
  return { at: Number(match[1]), createdAt: Number(match[2]), id: match[3]! };
}
