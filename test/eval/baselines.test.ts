import { describe, expect, it } from 'vitest';
import { bm25, cosine, reciprocalRanks, runBaselines } from '../../eval/baselines.ts';
import type { EvaluationCase } from '../../eval/datasets/dataset.ts';
import { CancelledError } from '../../src/errors/index.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';

const CASE: EvaluationCase = {
  scope: 'c',
  turns: [
    { content: 'The kiln arrived.', speaker: 'Ben', session: 's1', sourceId: 'c/1', at: '2024-01-01' },
    { content: 'A cat!', speaker: 'Ana', session: 's2', sourceId: 'c/2', at: '2024-01-02' },
    {
      content: 'Look.',
      speaker: 'Ben',
      session: 's2',
      sourceId: 'c/3',
      at: '2024-01-02',
      attachments: [{ kind: 'image', description: 'a red boat' }],
    },
  ],
  facts: [],
  questions: ['Who has a boat?', 'What did Ben get: a kiln?'].map((text, at) => ({
    ...{ id: `q${at}`, text, category: '1', answer: null, evidenceTurns: [], evidenceSessions: [] },
  })),
};

describe('plain baselines', () => {
  it('BM25 orders by frequency, rarity and length, by hand: k1 = 1.2, b = 0.75', () => {
    // Average length 3. "cat": n = 2, idf = ln(1 + 2.5/2.5) = 0.693. "kiln": n = 1, idf = ln(1 + 3.5/1.5) = 1.204.
    // 0: 0.693 · 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 4/3)) = 0.871
    // 1: 0.693 · 1 · 2.2 / (1 + 1.2 · (0.25 + 0.75 · 1/3)) = 0.953
    // 2: 1.204 · 1 · 2.2 / (1 + 1.2 · (0.25 + 0.75 · 4/3)) = 1.060
    const rank = bm25(['cat cat on mat', 'Cat!', 'the kiln is hot', 'so it goes']);
    expect(rank('CAT, kiln?')).toEqual([2, 1, 0]);
    expect(rank('cat cat')).toEqual([1, 0]);
    expect(rank('nothing here')).toEqual([]);
  });

  it('BM25 neither stems nor leaves out words, and keeps the order of equal turns', () => {
    const rank = bm25(['the cats', 'the', 'the']);
    expect(rank('cat')).toEqual([]);
    expect(rank('the')).toEqual([1, 2, 0]);
  });

  it('cosine orders by the vectors, with a place for each text', () => {
    const vectors = [
      [1, 0],
      [0, 1],
      [0.6, 0.8],
      [1, 0],
    ].map((vector) => Float32Array.from(vector));
    expect(cosine(vectors)(Float32Array.from([0.8, 0.6]))).toEqual([2, 0, 3, 1]);
  });

  it('fuses reciprocal ranks with an offset of 60', () => {
    // 7: 1/61 + 1/63; 8: 1/62 + 1/61; 9: 1/63 + 1/62.
    expect(
      reciprocalRanks([
        [7, 8, 9],
        [8, 9, 7],
      ]),
    ).toEqual([8, 7, 9]);
    expect(reciprocalRanks([[5], [4]])).toEqual([4, 5]);
    expect(reciprocalRanks([[], [3, 1]])).toEqual([3, 1]);
  });

  it('run on the words of turns, their speakers and captions', async () => {
    const results = await runBaselines(CASE, new HashingEmbedder({ analyze }), undefined);
    const ranked = results.BM25.map(({ rankedTurns, rankedSessions }) => [rankedTurns, rankedSessions]);
    expect(ranked).toEqual([
      [
        ['c/3', 'c/2'],
        ['s2', 's2'],
      ],
      [
        ['c/1', 'c/3', 'c/2'],
        ['s1', 's2', 's2'],
      ],
    ]);
    for (const baseline of [results.cosine, results['BM25 + cosine']]) {
      expect(baseline.map(({ rankedTurns }) => rankedTurns.length)).toEqual([3, 3]);
      expect(baseline.map(({ rankedTurns }) => rankedTurns[0])).toEqual(['c/3', 'c/1']);
      expect(baseline.every(({ milliseconds }) => milliseconds > 0)).toBe(true);
    }
  });

  it('stop when the signal fires', async () => {
    const stopped = runBaselines(CASE, new HashingEmbedder({ analyze }), AbortSignal.abort());
    await expect(stopped).rejects.toSatisfy(CancelledError.isInstance);
  });
});
