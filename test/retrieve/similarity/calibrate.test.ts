import { describe, expect, it } from 'vitest';
import { calibrate, shareSeen } from '../../../src/retrieve/similarity/calibrate.ts';
import type { Vectors } from '../../../src/search/vector-index.ts';
import { seededRandom } from '../../search/random.ts';

const WHOLE = { isWhole: true, isScored: () => true };
const read = (cosines: readonly number[], vectors: Pick<Vectors, 'isScored' | 'isWhole'> = WHOLE) => [
  ...calibrate(Float32Array.from(cosines), vectors),
];
const order = (values: readonly number[]) =>
  values.map((_, at) => at).sort((a, b) => values[b]! - values[a]! || a - b);

/** Cosines of a memory: most of them about a mean. */
function memory(mean: number, deviation: number): number[] {
  const random = seededRandom(3);
  return Array.from({ length: 1_000 }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return mean + deviation * normal;
  });
}

describe('what an embedder sees of a turn', () => {
  it('counts in full up to its tokens, then less and less', () => {
    const shares = [10, 100, 200, 1_000].map((terms) => shareSeen(terms, { maxTokens: 256 }));
    expect(shares.slice(0, 2)).toEqual([1, 1]);
    expect(shares[2]).toBeCloseTo(0.846, 3);
    expect(shares[3]).toBeCloseTo(0.566, 3);
    expect(shareSeen(100_000, {})).toBe(1);
  });
});

describe('calibrated cosines', () => {
  it('keep their order', () => {
    for (const cosines of [memory(0.6, 0.05), memory(0.3, 0.1)])
      expect(order(read(cosines))).toEqual(order(cosines));
  });

  it('say the same whether an encoder gives every text 0.3 or 0.7', () => {
    const [low, high] = [read(memory(0.3, 0.05)), read(memory(0.7, 0.05))];
    for (const [at, value] of low.entries()) expect(value).toBeCloseTo(high[at]!, 1);
  });

  it('say next to nothing unless they are half a deviation above the mean', () => {
    const cosines = memory(0.6, 0.05);
    const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
    const values = read(cosines);
    expect(cosines.filter((cosine, at) => cosine < mean && values[at]! > 0.03)).toEqual([]);
    const shares = values.filter((value) => value > 0.4).length / values.length;
    expect(shares).toBeGreaterThan(0.25);
    expect(shares).toBeLessThan(0.4);
  });

  it('are trusted little in a memory of few rows: both of two near ones still count', () => {
    const [near, other] = read([0.71, 0.7]);
    expect(other! / near!).toBeGreaterThan(0.9);
  });

  it('leave out rows without a vector, and what is not similar at all', () => {
    const vectors = { isWhole: true, isScored: (row: number) => row !== 1 };
    expect(read([0.9, 0, -0.2, 0.1, 0.1], vectors).slice(1, 3)).toEqual([0, 0]);
    expect(read([])).toEqual([]);
    expect(read([0, 0])).toEqual([0, 0]);
  });

  it('are compared with the least of those found, where only the nearest are known', () => {
    const found = read([0, 0.62, 0, 0.6, 0.7], {
      isWhole: false,
      isScored: (row) => row % 2 === 1 || row === 4,
    });
    expect(found[0]).toBe(0);
    expect(found[4]!).toBeGreaterThan(found[1]!);
    expect(found[1]!).toBeGreaterThan(found[3]!);
  });
});
