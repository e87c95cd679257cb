import { describe, expect, it } from 'vitest';
import { addScores } from '../../../src/retrieve/similarity/add-scores.ts';

const added = (...summands: readonly (readonly [readonly number[], number])[]) =>
  [...addScores(summands.map(([scores, weight]) => ({ scores: Float32Array.from(scores), weight })))].map(
    (score) => Number(score.toFixed(4)),
  );

describe('a sum of scores', () => {
  it('divides each by the mean of its best, and weights it', () => {
    // Means: 4 and 0.3.
    expect(added([[6, 0, 2], 1], [[0.2, 0.4, 0.3], 0.5])).toEqual([1.8333, 0.6667, 1]);
  });

  it('keeps by how much the best is ahead, whatever the units', () => {
    const scores = [9, 2, 1];
    expect(added([scores, 1])).toEqual(added([scores.map((score) => score * 1_000), 1]));
    expect(added([scores, 1])).toEqual([2.25, 0.5, 0.25]);
  });

  it('counts the fifty best alone, and of these what is at least a tenth of the best', () => {
    const many = Array.from({ length: 100 }, (_, at) => (at < 50 ? 2 : 1));
    expect(added([many, 1])[0]).toBe(1);
    expect(added([[10, 0.9, 0.9, 0.9], 1])[0]).toBe(1);
    expect(added([[10, 1, 1, 1], 1])[0]).toBe(3.0769);
  });

  it('gives nothing for what is 0 or less, and for no scores', () => {
    expect(added([[-1, 0], 1], [[0, 0], 1])).toEqual([0, 0]);
    expect(added()).toEqual([]);
  });
});
