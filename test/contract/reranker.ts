import { describe, expect, it } from 'vitest';
import type { Reranker } from '../../src/inference/reranker.ts';

const QUERY = 'Who adopted a puppy?';
const DOCUMENTS = [
  'I adopted a puppy in Oslo.',
  '',
  ' \n\t ',
  'The train leaves at nine.',
  '我昨天搬到了北京。',
  'naïve café e\u0301',
  '👩‍👩‍👧‍👦 🧠',
  'a lone \ud83d surrogate\u0000',
  'long '.repeat(5_000),
];

/** What every Reranker does. */
export function rerankerContract(name: string, make: () => Reranker): void {
  describe(`${name}: the Reranker contract`, () => {
    it('says which model it is', () => expect(make().model).toMatch(/^\S+$/));

    it.each([QUERY, '', '我', 'long '.repeat(5_000)])(
      'gives one probability per document (%#)',
      async (query) => {
        const scores = await make().rerank(query, DOCUMENTS);
        expect(scores).toHaveLength(DOCUMENTS.length);
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
      },
    );

    it('gives a document the same score alone, among others, in any order, and again', async () => {
      const reranker = make();
      const together = await reranker.rerank(QUERY, DOCUMENTS);
      expectNear(await reranker.rerank(QUERY, DOCUMENTS), together);
      expectNear(await make().rerank(QUERY, DOCUMENTS.toReversed()), together.toReversed());
      for (const [at, document] of DOCUMENTS.entries())
        expectNear(await reranker.rerank(QUERY, [document]), [together[at]!]);
    });

    it('gives nothing for nothing', async () => {
      expect(await make().rerank(QUERY, [])).toEqual([]);
    });

    it('keeps overlapping calls apart', async () => {
      const reranker = make();
      const [first, second] = await Promise.all([
        reranker.rerank(QUERY, DOCUMENTS),
        reranker.rerank(QUERY, DOCUMENTS.toReversed()),
      ]);
      expectNear(second, first.toReversed());
    });

    it('stops when it is cancelled', async () => {
      const signal = AbortSignal.abort();
      await expect(make().rerank(QUERY, DOCUMENTS, { signal })).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}

function expectNear(scores: readonly number[], expected: readonly number[]): void {
  expect(scores).toHaveLength(expected.length);
  for (const [at, score] of scores.entries()) expect(Math.abs(score - expected[at]!)).toBeLessThan(1e-5);
}
