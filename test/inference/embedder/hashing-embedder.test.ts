import { describe, expect, it } from 'vitest';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { embedderContract } from '../../contract/embedder.ts';

embedderContract('HashingEmbedder', () => new HashingEmbedder({ analyze }));
embedderContract('HashingEmbedder of 16', () => new HashingEmbedder({ analyze, dimension: 16 }));

const embedder = new HashingEmbedder({ analyze });
async function likeness(a: string, b: string): Promise<number> {
  const [one, two] = await embedder.embed([a, b], { as: 'passage' });
  return one!.reduce((sum, value, at) => sum + value * two![at]!, 0);
}

describe('HashingEmbedder', () => {
  it('returns the zero vector for a text without features', async () => {
    for (const vector of await embedder.embed(['', '...'], { as: 'query' }))
      expect(vector.every((value) => value === 0)).toBe(true);
  });

  it('ignores order and capitals, and matches similar spelling', async () => {
    expect(await likeness('Oslo puppy', 'PUPPY oslo')).toBeCloseTo(1, 5);
    expect(await likeness('photographer', 'photography')).toBeGreaterThan(
      (await likeness('photographer', 'submarine')) + 0.1,
    );
  });

  it('damps repetition', async () => {
    const once = await likeness('tea', 'tea and biscuits with jam');
    const often = await likeness('tea', `${'tea '.repeat(50)} and biscuits with jam`);
    expect(often).toBeGreaterThan(once);
    expect(often).toBeLessThan(0.99);
  });

  it.each([[], [{}], [{ analyze: 'words' }]])('reports missing options without types: %o', (...options) => {
    const make = HashingEmbedder as unknown as new (...options: unknown[]) => HashingEmbedder;
    expect(() => new make(...options)).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringContaining('analyze') }),
    );
  });

  it.each([0, 15, 4097, 64.5, Number.NaN])('rejects a dimension of %d', (dimension) => {
    expect(() => new HashingEmbedder({ analyze, dimension })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    );
  });
});
