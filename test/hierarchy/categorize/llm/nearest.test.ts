import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../../src/hierarchy/categorize/llm/batches.ts';

const options = { likenessOf: (a: number, b: number) => 1 - Math.abs(a - b) / 100, atLeast: 0.9 };

describe('nearest', () => {
  it("chooses every node's nearest before any node's second, in their own order", async () => {
    const values = [51, 10, 49, 12, 50, 90];
    const all = { ...options, perNode: 3 };
    expect(await nearest(values, [50, 10], { ...all, atMost: 2 })).toEqual([10, 50]);
    // Second nearest by distance: 51 and 49 to 50 (a tie), before 12 to 10.
    expect(await nearest(values, [50, 10], { ...all, atMost: 3 })).toEqual([51, 10, 50]);
    expect(await nearest(values, [50, 10], { ...all, atMost: 9 })).toEqual([51, 10, 49, 12, 50]);
    expect(await nearest(values, [50, 10], { ...options, perNode: 1, atMost: 9 })).toEqual([10, 50]);
    expect(await nearest(values, [70], { ...all, atMost: 9 })).toEqual([]);
    expect(await nearest([], [50], { ...all, atMost: 9 })).toEqual([]);
  });

  it('equals sorting everything', async () => {
    const number = fc.integer({ min: 0, max: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(number, { maxLength: 20 }),
        number,
        fc.integer({ min: 1, max: 5 }),
        async (values, node, perNode) => {
          const sorted = values
            .map((value, at) => ({ value, at, far: Math.abs(value - node) }))
            .filter(({ far }) => far <= 10)
            .sort((a, b) => a.far - b.far || a.at - b.at)
            .slice(0, perNode)
            .sort((a, b) => a.at - b.at);
          const found = await nearest(values, [node], { ...options, perNode, atMost: 99, atLeast: 0.899 });
          expect(found).toEqual(sorted.map(({ value }) => value));
        },
      ),
    );
  });
});
