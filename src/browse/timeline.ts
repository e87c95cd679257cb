import { InvalidInputError } from '../errors/index.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Milliseconds } from '../model/ids.ts';
import { DAY, startOfDay, utc, weekOf } from '../time/calendar.ts';
import { Breather } from '../util/breathe.ts';
import type { KeptHistory } from './feed/change-history.ts';
import { type Bounds, boundsOf, factsAbout, type Period, turnsMentioning } from './listed.ts';

/** Which part of a scope's history to count. */
export interface TimelineRequest extends Period {
  /** Only what is about this entity, by id or by a name that no other entity has. */
  readonly entity?: string | undefined;
  /**
   * Which time is counted by. `held` (default): when turns were said, and facts began and ceased to hold. `known`: when
   * memory stored turns, learned facts and learned that one replaces another.
   */
  readonly by?: 'held' | 'known' | undefined;
  /**
   * Without `from` and `to`: `told` (default) covers the time in which turns were said, `all` also earlier
   * and later times that they mention.
   */
  readonly span?: 'told' | 'all' | undefined;
  /** Default: the finest that needs no more than `most` buckets. */
  readonly unit?: TimeUnit | undefined;
  /** The most buckets, from 1 to 400, 200 by default. */
  readonly most?: number | undefined;
  /**
   * What becomes of a time in which nothing happened and that is longer than all the rest together: `kept` (default), or
   * `folded` into one bucket, so that the others can be finer.
   */
  readonly gaps?: 'kept' | 'folded' | undefined;
}

/** What happened in some time. */
export interface TimelineCounts {
  /** Turns said; by `known`: turns stored. */
  readonly turns: number;
  /** Facts that began to hold; by `known`: facts learned. */
  readonly begun: number;
  /** Facts that ceased to hold; by `known`: facts that a newer one replaced or corrected. */
  readonly ended: number;
}

/** A part of a timeline: from `start` on, and before `end`. */
export interface TimelineBucket extends TimelineCounts {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  /** Of a bucket that a gap was folded into. */
  readonly isGap?: true | undefined;
}

/** What a scope says happened when, in equal parts of the calendar (UTC). */
export interface Timeline {
  /** The first and last time of all that the request is about; null if there is nothing. */
  readonly first: Milliseconds | null;
  readonly last: Milliseconds | null;
  readonly unit: TimeUnit;
  /** The oldest first, each from the end of the one before; empty buckets are included. */
  readonly buckets: readonly TimelineBucket[];
  /** What happened before the first bucket, and after the last. */
  readonly before: TimelineCounts;
  readonly after: TimelineCounts;
}

type Kind = keyof TimelineCounts;
/** Calls back with each time, and what happened then. */
type Times = (each: (kind: Kind, at: Milliseconds) => void) => Promise<void>;

const MOST = 200;
const MOST_OF_ALL = 400;
const STRIDE = 1_024;

/**
 * Counts what happened when, in a time linear in the facts and turns of the index. By system time it counts the kept
 * history of the scope, since the index has no such times.
 *
 * @throws InvalidInputError for an unknown entity, an invalid time or unit, or more buckets than asked for.
 */
export async function timelineOf(
  context: IndexedScope,
  history: () => Promise<KeptHistory>,
  request: TimelineRequest = {},
): Promise<Timeline> {
  const { by = 'held', most = MOST, entity, gaps = 'kept' } = request;
  if (!Number.isInteger(most) || most < 1 || most > MOST_OF_ALL)
    throw new InvalidInputError(`The number of buckets must be a whole number from 1 to ${MOST_OF_ALL}`);
  const bounds = boundsOf(request);
  const times =
    by === 'known'
      ? timesKnown(await history(), idsAbout(context, entity))
      : timesHeld(context, { facts: factsAbout(context.index, { entity }), entity });
  const reach = await reachOf(times);
  const range = rangeOf(reach, { ...request, ...bounds, by });
  const folded = gaps === 'folded' && range !== null ? await longGapsOf(times, range) : [];
  const { unit, starts } = bucketsBetween(range, { unit: request.unit, most, finest: by, folded });
  const counted = starts.map(nothing);
  const [before, after] = [nothing(), nothing()];
  const end = starts.at(-1) ?? 0;
  await times((kind, at) => {
    const place = starts.length < 2 || at < starts[0]! ? -1 : at >= end ? starts.length : placeOf(starts, at);
    const counts = place < 0 ? before : place >= starts.length ? after : counted[place]!;
    counts[kind]++;
  });
  const { first, last } = reach;
  return {
    first,
    last,
    unit,
    before,
    after,
    // The last start is the end of the last bucket.
    buckets: counted.slice(0, -1).map((counts, at) => bucketOf(unit, [starts[at]!, starts[at + 1]!], counts)),
  };
}

function bucketOf(unit: TimeUnit, [start, end]: Range, counts: TimelineCounts): TimelineBucket {
  return { start, end, ...counts, ...(end > endOf(start, unit) && { isGap: true }) };
}

const nothing = () => ({ turns: 0, begun: 0, ended: 0 });

/** The index of the last start that is not after the time. */
function placeOf(starts: readonly Milliseconds[], at: Milliseconds): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function timesHeld(
  { index }: IndexedScope,
  { facts, entity }: { readonly facts: Iterable<number>; readonly entity: string | undefined },
): Times {
  const { validity } = index;
  const { timeline } = index.episodes;
  const chosen = [...facts];
  const turns = [...turnsMentioning(index, entity)];
  return async (each) => {
    await inSteps(chosen, (fact) => {
      const began = validity.validAt(fact);
      // A fact that was removed since has no times.
      if (!Number.isNaN(began)) each('begun', began);
      if (validity.hasEnd(fact)) each('ended', validity.invalidAt(fact));
    });
    await inSteps(turns, (turn) => each('turns', timeline.validAt.at(turn)));
  };
}

function idsAbout({ index }: IndexedScope, entity: string | undefined): ReadonlySet<string> | null {
  if (entity === undefined) return null;
  const facts = [...factsAbout(index, { entity })].map((fact) => index.facts.ids.idOf(fact));
  const turns = [...turnsMentioning(index, entity)].map((turn) => index.episodes.ids.idOf(turn));
  return new Set<string>([...facts, ...turns]);
}

const KINDS: Readonly<Record<string, Kind | undefined>> = {
  stored: 'turns',
  fact: 'begun',
  superseded: 'ended',
};

function timesKnown({ drafts }: KeptHistory, ids: ReadonlySet<string> | null): Times {
  return (each) =>
    inSteps(drafts, (draft) => {
      const kind = KINDS[draft.type];
      if (kind !== undefined && 'id' in draft && (ids === null || ids.has(draft.id))) each(kind, draft.at);
    });
}

async function inSteps<T>(items: readonly T[], each: (item: T) => void): Promise<void> {
  const breather = new Breather();
  for (const [at, item] of items.entries()) {
    if (at % STRIDE === 0) await breather.breathe();
    each(item);
  }
}

/** The first and last times, of everything and of turns alone. */
interface Reach {
  readonly first: Milliseconds | null;
  readonly last: Milliseconds | null;
  readonly told: readonly [first: Milliseconds, last: Milliseconds] | null;
}

async function reachOf(times: Times): Promise<Reach> {
  const all = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  const told = { ...all };
  await times((kind, at) => {
    for (const span of kind === 'turns' ? [all, told] : [all]) {
      span.first = Math.min(span.first, at);
      span.last = Math.max(span.last, at);
    }
  });
  const isEmpty = all.first > all.last;
  return {
    first: isEmpty ? null : all.first,
    last: isEmpty ? null : all.last,
    told: told.first > told.last ? null : [told.first, told.last],
  };
}

/** What the buckets cover, both ends included; null for nothing. */
function rangeOf(
  { first, last, told }: Reach,
  { first: from, end: to, span = 'told', by = 'held' }: Bounds & Pick<TimelineRequest, 'span' | 'by'>,
): readonly [Milliseconds, Milliseconds] | null {
  if (first === null || last === null) return null;
  const [start, end] = span === 'told' && by === 'held' && told !== null ? told : [first, last];
  const range = [from ?? start, to === undefined ? end : to - 1] as const;
  return range[0] <= range[1] ? range : null;
}

/** From the first time to the last. */
type Range = readonly [Milliseconds, Milliseconds];

/** Each gap that is longer than all that remains without it and longer ones, the oldest first. */
async function longGapsOf(times: Times, [first, last]: Range): Promise<readonly Range[]> {
  const within: Milliseconds[] = [];
  await times((_, at) => {
    if (at >= first && at <= last) within.push(at);
  });
  within.sort((a, b) => a - b);
  const all = within.slice(1).map((at, before): Range => [within[before]!, at]);
  const lengthOf = ([start, end]: Range) => end - start;
  let rest = last - first;
  const long: Range[] = [];
  for (const gap of all.sort((a, b) => lengthOf(b) - lengthOf(a))) {
    if (lengthOf(gap) <= rest / 2) break;
    rest -= lengthOf(gap);
    long.push(gap);
  }
  return long.sort(([a], [b]) => a - b);
}

/** Equal parts of the calendar, from fine to coarse. Decades and centuries begin with a year that they divide. */
export const TIME_UNITS = ['hour', 'day', 'week', 'month', 'year', 'decade', 'century'] as const;
type TimeUnit = (typeof TIME_UNITS)[number];

const HOUR: Milliseconds = 3_600_000;
const YEARS = { year: 1, decade: 10, century: 100 } as const;
/** The finest unit that is chosen: dates of facts are days, system times are exact. */
const FINEST = { held: 'day', known: 'hour' } as const satisfies Record<string, TimeUnit>;

interface BucketOptions {
  /** Default: the finest that needs no more than `most` buckets. */
  readonly unit?: TimeUnit | undefined;
  readonly most: number;
  /** What is counted by. */
  readonly finest: keyof typeof FINEST;
  /** Times within the range that take one bucket each, the oldest first. */
  readonly folded?: readonly Range[];
}

/**
 * Where the buckets begin that cover a range, both ends included, and at last where the last one ends; no starts for
 * an empty range.
 *
 * @throws InvalidInputError if the unit that was asked for needs more than `most` buckets.
 */
export function bucketsBetween(
  range: Range | null,
  { unit, most, finest, folded = [] }: BucketOptions,
): { readonly unit: TimeUnit; readonly starts: readonly Milliseconds[] } {
  if (range === null) return { unit: unit ?? FINEST[finest], starts: [] };
  const units = unit === undefined ? TIME_UNITS.slice(TIME_UNITS.indexOf(FINEST[finest])) : [unit];
  for (const each of units) {
    const starts = foldedStarts(range, folded, (part) => startsOf(part, each, most));
    if (starts !== null && starts.length <= most + 1) return { unit: each, starts };
  }
  if (unit === undefined) return { unit: 'century', starts: startsOf(range, 'century', Infinity)! };
  throw new InvalidInputError(`That time has more than ${most} buckets of one ${unit}; choose a larger unit`);
}

/** A gap of fewer buckets is not worth a mark. */
const FEWEST_FOLDED = 4;

/** Where buckets begin, with one bucket for each gap; null where a part between gaps has too many. */
function foldedStarts(
  [first, last]: Range,
  gaps: readonly Range[],
  startsIn: (part: Range) => readonly Milliseconds[] | null,
): readonly Milliseconds[] | null {
  const starts: Milliseconds[] = [];
  let from = first;
  for (const [start, end] of gaps) {
    const [before, after] = [startsIn([from, start]), startsIn([end, end])];
    if (before === null || after === null) return null;
    const between = startsIn([before.at(-1)!, after[0]! - 1]);
    // It goes on with the part before it.
    if (between !== null && between.length <= FEWEST_FOLDED) continue;
    starts.push(...before);
    from = end;
  }
  const rest = startsIn([from, last]);
  return rest === null ? null : [...starts, ...rest];
}

/** Null if there are more than `most`. */
function startsOf(
  [first, last]: readonly [Milliseconds, Milliseconds],
  unit: TimeUnit,
  most: number,
): Milliseconds[] | null {
  const starts = [startOf(first, unit)];
  while (starts.at(-1)! <= last) {
    if (starts.length > most) return null;
    starts.push(endOf(starts.at(-1)!, unit));
  }
  return starts;
}

function startOf(at: Milliseconds, unit: TimeUnit): Milliseconds {
  switch (unit) {
    case 'hour':
      return Math.floor(at / HOUR) * HOUR;
    case 'day':
      return startOfDay(at);
    case 'week':
      return weekOf(at).start;
    case 'month': {
      const date = new Date(at);
      return utc(date.getUTCFullYear(), date.getUTCMonth());
    }
    default: {
      const years = YEARS[unit];
      return utc(Math.floor(new Date(at).getUTCFullYear() / years) * years, 0);
    }
  }
}

function endOf(start: Milliseconds, unit: TimeUnit): Milliseconds {
  const date = new Date(start);
  switch (unit) {
    case 'hour':
      return start + HOUR;
    case 'day':
      return start + DAY;
    case 'week':
      return start + 7 * DAY;
    case 'month':
      return utc(date.getUTCFullYear(), date.getUTCMonth() + 1);
    default:
      return utc(date.getUTCFullYear() + YEARS[unit], 0);
  }
}
