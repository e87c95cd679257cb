import { InvalidInputError } from '../../errors/index.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { MOST_PER_PAGE } from '../../model/options.ts';
import { atOnce, Breather, gradually, type Steps } from '../../util/breathe.ts';

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

const DEFAULT_LIMIT = 50;
const CURSOR = /^(-?\d{1,16})\.(-?\d{1,16})\.(.+)$/s;
const ITEMS_PER_STEP = 1_024;

/** How the items of a list follow each other. No two places tie. */
export interface PageOrder<P> {
  compare(a: P, b: P): number;
  cursorOf(place: P): string;
  /** @throws InvalidInputError for a cursor that no page returned. */
  readCursor(cursor: string): P;
}

/** The order of histories. */
export const BY_TIME: PageOrder<Place> = { compare, cursorOf, readCursor };

interface Listing<T, P> {
  readonly order: PageOrder<P>;
  /** Where an item is in the order; null leaves it out. */
  placeOf(item: T): P | null;
}

/**
 * The items after a cursor, in order. A cursor is a position, not an offset: rows added or removed between two calls
 * neither repeat nor hide others.
 *
 * @throws InvalidInputError for a limit out of bounds or a cursor that no page returned.
 */
export function pageOf<T>(all: readonly T[], placeOf: (item: T) => Place, request: PageRequest): Page<T> {
  return atOnce(pageSteps(all, { order: BY_TIME, placeOf }, request));
}

/** Like `pageOf`, in any order. It yields the thread, and keeps only a page while it goes through all. */
export function pageGradually<T, P>(
  all: Iterable<T>,
  listing: Listing<T, P>,
  request: PageRequest,
): Promise<Page<T>> {
  return gradually(pageSteps(all, listing, request), new Breather());
}

function* pageSteps<T, P>(
  all: Iterable<T>,
  { order, placeOf }: Listing<T, P>,
  request: PageRequest,
): Steps<Page<T>> {
  const { limit, start } = readRequest(request, order);
  const kept = new Kept<T, P>(limit, order);
  let [total, left, seen] = [0, 0, 0];
  for (const item of all) {
    if (++seen % ITEMS_PER_STEP === 0) yield;
    const place = placeOf(item);
    if (place === null) continue;
    total++;
    if (start !== null && order.compare(place, start) <= 0) continue;
    left++;
    kept.offer({ item, place });
  }
  const shown = kept.sorted();
  const last = shown.at(-1);
  const next = last === undefined || shown.length === left ? null : order.cursorOf(last.place);
  return { items: shown.map(({ item }) => item), total, next };
}

/** Like `pageOf`, of items that are in order already. */
export function pageOfSorted<T>(
  sorted: readonly T[],
  placeOf: (item: T) => Place,
  request: PageRequest,
): Page<T> {
  const { limit, start } = readRequest(request, BY_TIME);
  let [first, end] = [0, start === null ? 0 : sorted.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (compare(placeOf(sorted[middle]!), start!) > 0) end = middle;
    else first = middle + 1;
  }
  const items = sorted.slice(first, first + limit);
  const last = items.at(-1);
  const next = last === undefined || first + limit >= sorted.length ? null : cursorOf(placeOf(last));
  return { items, total: sorted.length, next };
}

function readRequest<P>(
  { limit = DEFAULT_LIMIT, after }: PageRequest,
  order: PageOrder<P>,
): { readonly limit: number; readonly start: P | null } {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PER_PAGE)
    throw new InvalidInputError(`The limit must be a whole number from 1 to ${MOST_PER_PAGE}`);
  return { limit, start: after === undefined ? null : order.readCursor(after) };
}

interface Placed<T, P> {
  readonly item: T;
  readonly place: P;
}

class Kept<T, P> {
  readonly #limit: number;
  readonly #order: PageOrder<P>;
  #items: Placed<T, P>[] = [];

  constructor(limit: number, order: PageOrder<P>) {
    this.#limit = limit;
    this.#order = order;
  }

  offer(item: Placed<T, P>): void {
    this.#items.push(item);
    // Sorting now and then costs less than keeping order at each step.
    if (this.#items.length >= 4 * this.#limit) this.#items = this.sorted();
  }

  sorted(): Placed<T, P>[] {
    return this.#items.sort((a, b) => this.#order.compare(a.place, b.place)).slice(0, this.#limit);
  }
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
