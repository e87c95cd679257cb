import { describe, expect, it } from 'vitest';
import {
  type Bucket,
  bucketShown,
  changeBeside,
  formatBucket,
  formatPoint,
  pointAt,
  pointsOf,
  ticksOf,
} from '../../../renderer/timeline/time-points.ts';

const month = (text: string, counts: Partial<Bucket> = {}): Bucket => {
  const start = Date.parse(`${text}-01`);
  return {
    start,
    end: new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1),
    turns: 0,
    begun: 0,
    ended: 0,
    ...counts,
  };
};
const BUCKETS = [
  month('2024-01', { turns: 2 }),
  month('2024-02'),
  month('2024-03', { begun: 1 }),
  month('2024-04'),
];
const NOW = Date.parse('2024-04-10');
const points = pointsOf(BUCKETS, NOW);

describe('the labels of the chart', () => {
  it('are evenly spread, name a year once, and begin again after a gap', () => {
    const months = Array.from({ length: 9 }, (_, at) => month(`2023-0${at + 1}`, { turns: 1 }));
    const gap: Bucket = { ...month('2023-10'), end: Date.parse('2026-10-01'), isGap: true };
    const buckets = [...months, gap, month('2026-10', { turns: 3 }), month('2026-11', { begun: 1 })];
    const ticks = ticksOf(buckets, 'month', 6);
    expect(ticks.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks.map(({ label }) => /\d{4}/.exec(label)?.[0] ?? '')).toEqual([
      '2023',
      '',
      '',
      '',
      '',
      '2026',
    ]);
    expect(formatBucket(gap, 'month')).toMatch(/^the gap from .*2023.* to .*2026/);
    expect(ticks.map(({ isAtEnd }) => isAtEnd)).toEqual([false, false, false, false, false, false]);
    // The label of the last part has no room on its right.
    expect(ticksOf(buckets, 'month', 2).map(({ at, isAtEnd }) => [at, isAtEnd])).toEqual([
      [0, false],
      [10, true],
    ]);
    expect(ticksOf([], 'month', 6)).toEqual([]);
  });
});

describe('the places of the slider', () => {
  it('are the ends of the parts, none after now, and now', () => {
    expect(points.map(({ at }) => at)).toEqual([
      Date.parse('2024-02-01') - 1,
      Date.parse('2024-03-01') - 1,
      Date.parse('2024-04-01') - 1,
      ...[NOW, null],
    ]);
  });

  it('are found by a moment in their part', () => {
    expect(pointAt(points, Date.parse('2024-03-15'))).toBe(2);
    expect(pointAt(points, Date.parse('2024-03-01'))).toBe(2);
    expect(pointAt(points, Date.parse('2023-01-01'))).toBe(0);
    expect(pointAt(points, Date.parse('2025-01-01'))).toBe(4);
    for (const [place, { at }] of points.entries()) if (at !== null) expect(pointAt(points, at)).toBe(place);
  });

  it('lead to the next change in either direction', () => {
    expect(changeBeside(points, 4, -1)).toBe(2);
    expect(changeBeside(points, 2, -1)).toBe(0);
    expect(changeBeside(points, 0, -1)).toBeNull();
    expect(changeBeside(points, 0, 1)).toBe(2);
    expect(changeBeside(points, 2, 1)).toBeNull();
  });

  it('show their own part, and now the last one in which something happened', () => {
    expect(bucketShown(points, 1)).toBe(BUCKETS[1]);
    expect(bucketShown(points, 4)).toBe(BUCKETS[2]);
    expect(bucketShown(pointsOf([], NOW), 0)).toBeNull();
  });

  it('have a name in the calendar of memory', () => {
    expect(formatPoint(points[2]!, 'month')).toMatch(/^the end of .*2024/);
    expect(formatPoint(points[4]!, 'month')).toBe('now');
    const day = { start: Date.parse('2024-03-01'), end: Date.parse('2024-03-02') };
    expect(formatBucket(day, 'day')).toMatch(/1.*2024|2024.*1/);
    expect(formatBucket(day, 'week')).toMatch(/^the week of /);
    expect(formatBucket(day, 'year')).toBe('2024');
    const decade = { start: Date.parse('2020-01-01'), end: Date.parse('2030-01-01') };
    expect(formatBucket(decade, 'decade')).toBe('2020–2029');
  });
});
