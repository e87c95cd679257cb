import { describe, expect, it } from 'vitest';
import { estimateOf } from '../../eval/metrics/estimate.ts';

describe('a mean with its bootstrap interval', () => {
  it('is the mean over all shares, in percent', () => {
    expect(estimateOf([[1, 0, 0], [1]])?.mean).toBe(50);
    expect(estimateOf([[1 / 3]])).toEqual({ mean: 33.33, low: 33.33, high: 33.33 });
  });

  it('is null without shares, and ignores empty groups', () => {
    expect(estimateOf([])).toBeNull();
    expect(estimateOf([[], []])).toBeNull();
    expect(estimateOf([[], [1, 0], []])).toEqual(estimateOf([[1, 0]]));
  });

  it('draws whole groups: equal groups have no interval, unequal ones that of their means', () => {
    const equal = [
      [1, 0],
      [0, 1],
    ];
    expect(estimateOf(equal)).toEqual({ mean: 50, low: 50, high: 50 });
    expect(estimateOf([[1, 1, 1], [0]])).toEqual({ mean: 75, low: 0, high: 100 });
  });

  it('draws the shares of a single group', () => {
    const shares = Array.from({ length: 400 }, (_, at) => at % 2);
    const { mean, low, high } = estimateOf([shares])!;
    expect(mean).toBe(50);
    // 1.96 standard errors of 400 coins: 4.9 points.
    expect(low).toBeGreaterThan(44);
    expect(low).toBeLessThan(46.5);
    expect(high).toBeGreaterThan(53.5);
    expect(high).toBeLessThan(56);
  });

  it('is the same in each run', () => {
    const groups = [[0.2, 0.9], [0.5], [1, 0, 0.1]];
    expect(estimateOf(groups)).toEqual(estimateOf(groups));
  });
});
