import type { OutputOf } from '../../main/contract.ts';
import { formatDateTime, text } from '../strings/text.ts';

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
const [year, month, day] = [utc({}), utc({ month: 'long' }), utc({ month: 'short', day: 'numeric' })];

/** A part of the calendar in words: "March 2024", "the week of 4 Mar 2024". The calendar is that of memory, in UTC. */
export function formatBucket({ start, end }: Pick<Bucket, 'start' | 'end'>, unit: TimeUnit): string {
  switch (unit) {
    case 'hour':
      return formatDateTime(start);
    case 'day':
      return day.format(start);
    case 'week':
      return text.timeline.weekOf(day.format(start));
    case 'month':
      return month.format(start);
    case 'year':
      return year.format(start);
    default:
      return `${year.format(start)}–${year.format(end - 1)}`;
  }
}

/** A place of the slider in words: "the end of March 2024", "5 Mar 2024", "now". */
export function formatPoint({ bucket }: TimePoint, unit: TimeUnit): string {
  if (bucket === null) return text.timeline.now.toLowerCase();
  const name = formatBucket(bucket, unit);
  return unit === 'day' ? name : text.timeline.endOf(name);
}
