import { describe, expect, it } from 'vitest';
import { bucketsBetween, TIME_UNITS } from '../../src/browse/timeline.ts';

const at = (text: string) => Date.parse(text);
const between = (first: string, last: string, most: number, finest: 'held' | 'known' = 'held') =>
  bucketsBetween([at(first), at(last)], { most, finest });
const days = (starts: readonly number[]) => starts.map((start) => new Date(start).toISOString().slice(0, 10));

describe('the parts of a timeline', () => {
  it.each([
    ['2024-01-01', '2024-01-07', 'day', 7],
    ['2024-01-01', '2024-02-01', 'week', 5],
    ['2024-01-01', '2024-09-01', 'month', 9],
    ['2019-03-01', '2024-03-01', 'year', 6],
    ['1962-03-01', '2024-03-01', 'decade', 7],
    ['1492-03-01', '2024-03-01', 'century', 7],
  ] as const)('from %s to %s are one %s each', (first, last, unit, count) => {
    const found = between(first, last, 10);
    expect([found.unit, found.starts.length - 1]).toEqual([unit, count]);
    expect(found.starts[0]).toBeLessThanOrEqual(at(first));
    expect(found.starts.at(-1)).toBeGreaterThan(at(last));
  });

  it('begin where the calendar does', () => {
    expect(days(between('2024-02-29', '2024-03-20', 5).starts)).toEqual([
      '2024-02-26', // a Monday
      ...['2024-03-04', '2024-03-11', '2024-03-18', '2024-03-25'],
    ]);
    expect(days(between('1999-12-31', '2000-01-03', 1).starts)).toEqual([
      ...['1900-01-01', '2000-01-01', '2100-01-01'], // no larger unit
    ]);
    expect(
      days(
        bucketsBetween([at('0050-05-01'), at('0051-05-01')], { unit: 'year', most: 5, finest: 'held' })
          .starts,
      ),
    ).toEqual(['0050-01-01', '0051-01-01', '0052-01-01']);
  });

  it('fold a gap into one part, so that the others are finer, and keep one of few parts', () => {
    const [first, last] = ['2023-01-10', '2026-11-05'];
    const folded = [[at('2023-03-20'), at('2026-11-01')]] as const;
    const range = [at(first), at(last)] as const;
    expect(bucketsBetween(range, { most: 20, finest: 'held' }).unit).toBe('year');
    const found = bucketsBetween(range, { most: 20, finest: 'held', folded });
    expect(found.unit).toBe('week');
    const starts = days(found.starts);
    expect(starts).toContain('2023-03-20');
    // The week of the gap's begin, the gap, and the week of its end.
    const place = starts.indexOf('2023-03-20');
    expect(starts.slice(place)).toEqual([
      '2023-03-20',
      '2023-03-27',
      '2026-10-26',
      '2026-11-02',
      '2026-11-09',
    ]);
    const years = bucketsBetween(range, { unit: 'year', most: 20, finest: 'held', folded });
    expect(days(years.starts)).toEqual(
      days(bucketsBetween(range, { unit: 'year', most: 20, finest: 'held' }).starts),
    );
  });

  it('are hours only for exact times', () => {
    expect(between('2024-01-01T08:00Z', '2024-01-01T10:00Z', 50, 'known').unit).toBe('hour');
    expect(between('2024-01-01T08:00Z', '2024-01-01T10:00Z', 50).unit).toBe('day');
  });

  it('are none for an empty range, and rejected if a chosen unit needs too many', () => {
    expect(bucketsBetween(null, { most: 5, finest: 'held' })).toEqual({ unit: 'day', starts: [] });
    for (const unit of TIME_UNITS.slice(0, 3))
      expect(() => bucketsBetween([0, at('2024-01-01')], { unit, most: 200, finest: 'held' })).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });
});
