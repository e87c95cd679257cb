import { describe, expect, it } from 'vitest';
import { topK } from '../../src/search/top-k.ts';
import { seededRandom } from './random.ts';

describe('topK', () => {
  it.each([0, 1, 2, 7, 50, 500])('equals sorting, k %i', (k) => {
    const random = seededRandom(k);
    for (const levels of [2, 10, 1_000_000]) {
      const scores = Float32Array.from({ length: 300 }, () => Math.floor(random() * levels) / levels);
      const order = Array.from(scores.keys());
      const lower = [...order].sort((a, b) => scores[b]! - scores[a]! || a - b);
      expect(topK(scores, k).map(({ ordinal }) => ordinal)).toEqual(lower.slice(0, k));
      const higher = [...order].sort((a, b) => scores[b]! - scores[a]! || b - a);
      const hits = topK(scores, k, { tiebreak: (a, b) => b - a });
      expect(hits.map(({ ordinal }) => ordinal)).toEqual(higher.slice(0, k));
      for (const { ordinal, score } of hits) expect(score).toBe(scores[ordinal]);
    }
  });

  it('omits NaN, removed rows and scores up to the limit', () => {
    const scores = Float32Array.of(Number.NaN, -Infinity, 0, 2, Infinity, -1);
    expect(topK(scores, 9).map(({ ordinal }) => ordinal)).toEqual([4, 3, 2, 5]);
    expect(topK(scores, 9, { above: 0 }).map(({ ordinal }) => ordinal)).toEqual([4, 3]);
    expect(topK(scores, Number.NaN)).toEqual([]);
    expect(topK(new Float32Array(0), 3)).toEqual([]);
  });
});
