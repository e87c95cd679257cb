import type { OutputOf } from '../../main/contract.ts';
import { formatDateTime } from '../strings/text.ts';
import { timelineText } from '../strings/timeline-text.ts';

type Timeline = OutputOf<'timeline'>;
export type Bucket = Timeline['buckets'][number];
export type TimeUnit = Timeline['unit'];

/** A place of the slider. */
export interface TimePoint {
  /** The moment that is asked about; null: now. */
  readonly at: number | null;
  /** The part of the timeline that ends there; null for now, and without any. */
  readonly bucket: Bucket | null;
}

/** The places of the slider: the end of each part, and at last now. */
export function pointsOf(buckets: readonly Bucket[], now: number): readonly TimePoint[] {
  return [
    ...buckets.map((bucket) => ({ at: Math.min(bucket.end - 1, now), bucket })),
    { at: null, bucket: null },
  ];
}

export const hasChange = ({ turns, begun, ended }: Bucket): boolean => turns + begun + ended > 0;

/** The nearest place before or after one at which something happened; null if nothing happened there. */
export function changeBeside(points: readonly TimePoint[], from: number, step: -1 | 1): number | null {
  for (let at = from + step; at >= 0 && at < points.length; at += step) {
    const { bucket } = points[at]!;
    if (bucket !== null && hasChange(bucket)) return at;
  }
  return null;
}

/** The place whose part contains a moment; that of now for a moment after all parts. */
export function pointAt(points: readonly TimePoint[], moment: number): number {
  const at = points.findIndex(({ bucket }) => bucket !== null && moment < bucket.end);
  return at === -1 ? points.length - 1 : at;
}

/** What to list at a place: of now, the last part in which something happened. */
export function bucketShown(points: readonly TimePoint[], at: number): Bucket | null {
  const own = points[at]?.bucket ?? null;
  if (own !== null) return own;
  const last = changeBeside(points, points.length, -1);
  return last === null ? null : points[last]!.bucket;
}

const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', year: 'numeric', ...options });
const [yearOf, month, day] = [utc({}), utc({ month: 'long' }), utc({ month: 'short', day: 'numeric' })];

/** A part of the calendar in words: "March 2024", "the week of 4 Mar 2024". The calendar is that of memory, in UTC. */
export function formatBucket(
  { start, end, isGap }: Pick<Bucket, 'start' | 'end' | 'isGap'>,
  unit: TimeUnit,
): string {
  if (isGap) return timelineText.gap(day.format(start), day.format(end - 1));
  switch (unit) {
    case 'hour':
      return formatDateTime(start);
    case 'day':
      return day.format(start);
    case 'week':
      return timelineText.weekOf(day.format(start));
    case 'month':
      return month.format(start);
    case 'year':
      return yearOf.format(start);
    default:
      return `${yearOf.format(start)}–${yearOf.format(end - 1)}`;
  }
}

/** A place of the slider in words: "the end of March 2024", "5 Mar 2024", "now". */
export function formatPoint({ bucket }: TimePoint, unit: TimeUnit): string {
  if (bucket === null) return timelineText.now.toLowerCase();
  const name = formatBucket(bucket, unit);
  return unit === 'day' ? name : timelineText.endOf(name);
}

/** A label below the chart, at the beginning of a part. */
export interface Tick {
  /** Number of the part. */
  readonly at: number;
  readonly label: string;
  /** Whether another one has no room between it and the end. */
  readonly isAtEnd: boolean;
}

/** Evenly spread labels of the parts, one of them after each gap. A year is named where it begins to hold. */
export function ticksOf(buckets: readonly Bucket[], unit: TimeUnit, most: number): readonly Tick[] {
  const step = Math.max(1, Math.ceil(buckets.length / most));
  const begins = buckets.flatMap(({ isGap }, at) =>
    !isGap && (at === 0 || buckets[at - 1]!.isGap) ? [at] : [],
  );
  const ticks: Tick[] = [];
  let year = '';
  for (const [at, { start, isGap }] of buckets.entries()) {
    const nextBegin = begins.find((begin) => begin > at) ?? buckets.length;
    const last = ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    if (isGap || at - last < step || (!begins.includes(at) && nextBegin - at < step)) continue;
    const own = yearOf.format(start);
    ticks.push({ at, label: tickLabel(start, unit, own !== year), isAtEnd: buckets.length - at < step });
    year = own;
  }
  return ticks;
}

function tickLabel(start: number, unit: TimeUnit, hasYear: boolean): string {
  if (unit === 'year' || unit === 'decade' || unit === 'century') return yearOf.format(start);
  const parts: Intl.DateTimeFormatOptions = {
    timeZone: 'UTC',
    month: 'short',
    ...(hasYear && { year: 'numeric' }),
  };
  return new Intl.DateTimeFormat(undefined, unit === 'month' ? parts : { ...parts, day: 'numeric' }).format(
    start,
  );
}
