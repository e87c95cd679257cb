import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/inference/embedder.ts';

const TEXTS = [
  'I adopted a puppy in Oslo.',
  'Ann moved to Bergen on 12 June 2023',
  'one',
  '我昨天搬到了北京。',
  'naïve café e\u0301',
  '👩‍👩‍👧‍👦 🧠',
  'a lone \ud83d surrogate\u0000',
  'long '.repeat(5_000),
];
const WITHOUT_FEATURES = ['', ' \n\t ', '... !? —'];

const length = (vector: Float32Array) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** What every Embedder does. */
export function embedderContract(name: string, make: () => Embedder): void {
  describe(`${name}: the Embedder contract`, () => {
    it('has a fingerprint that says which vectors these are', () => {
      const { model, dimension } = make().fingerprint;
      expect(model).toMatch(/^\S+$/);
      expect(Number.isInteger(dimension) && dimension > 0).toBe(true);
      expect(make().fingerprint).toEqual({ model, dimension });
    });

    it.each(['query', 'passage'] as const)('gives one unit vector for each %s, in order', async (as) => {
      const embedder = make();
      const vectors = await embedder.embed([...TEXTS, ...WITHOUT_FEATURES], { as });
      expect(vectors).toHaveLength(TEXTS.length + WITHOUT_FEATURES.length);
      for (const [position, vector] of vectors.entries()) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(embedder.fingerprint.dimension);
        const size = length(vector);
        if (position < TEXTS.length || size > 0) expect(Math.abs(size - 1)).toBeLessThan(1e-5);
      }
    });

    it('gives the same vector for the same text: again, alone, or from another instance', async () => {
      const embedder = make();
      const together = await embedder.embed(TEXTS, { as: 'passage' });
      expect(await embedder.embed(TEXTS, { as: 'passage' })).toEqual(together);
      expect(await make().embed(TEXTS.toReversed(), { as: 'passage' })).toEqual(together.toReversed());
      for (const [position, text] of TEXTS.entries())
        expect(await embedder.embed([text], { as: 'passage' })).toEqual([together[position]]);
    });

    it('gives nothing for nothing', async () => {
      expect(await make().embed([], { as: 'query' })).toEqual([]);
    });

    it('brings a question nearer to its passage than to another', async () => {
      const embedder = make();
      const [question] = await embedder.embed(['Who adopted a puppy?'], { as: 'query' });
      const [near, far] = await embedder.embed(['I adopted a puppy in Oslo.', 'The train leaves at nine.'], {
        as: 'passage',
      });
      expect(cosine(question!, near!)).toBeGreaterThan(cosine(question!, far!));
    });

    it('gives vectors that callers may change', async () => {
      const embedder = make();
      const [first] = await embedder.embed(['one'], { as: 'passage' });
      const copy = first!.slice();
      first!.fill(7);
      expect(await embedder.embed(['one'], { as: 'passage' })).toEqual([copy]);
    });

    it('stops when it is cancelled', async () => {
      const signal = AbortSignal.abort();
      await expect(make().embed(TEXTS, { as: 'passage', signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
    });
  });
}
