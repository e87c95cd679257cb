import { describe, expect, it } from 'vitest';
import type { EvaluationQuestion } from '../../eval/datasets/dataset.ts';
import { scoreAnswer } from '../../eval/metrics/answer-metrics.ts';
import { percentile } from '../../eval/metrics/numbers.ts';
import {
  countsForRecall,
  meanSessionRecall,
  meanTurnRecall,
  type QuestionResult,
  recallAt,
  resultsByCategory,
  withoutAdversarial,
} from '../../eval/metrics/retrieval-metrics.ts';

function result(
  category: string,
  evidence: string[],
  rankedTurns: string[],
  sessions: string[][] = [[], []],
): QuestionResult {
  const question: EvaluationQuestion = {
    id: 'q',
    text: 'Which?',
    category,
    answer: null,
    evidenceTurns: evidence,
    evidenceSessions: sessions[0]!,
  };
  return { question, rankedTurns, rankedSessions: sessions[1]!, milliseconds: 1 };
}

describe('recallAt', () => {
  it('is the share of relevant ids among the first k', () => {
    expect(recallAt(['a', 'b', 'c'], ['c', 'a', 'z', 'y'], 2)).toBe(0.25);
    expect(recallAt(['a', 'b', 'c'], ['c', 'a', 'z', 'y'], 3)).toBe(0.5);
    expect(recallAt(['a'], ['a'], 10)).toBe(1);
    expect(recallAt([], ['a'], 10)).toBe(0);
    expect(recallAt(['a'], ['a'], 0)).toBe(0);
  });

  it('counts distinct ids, ranked and relevant', () => {
    expect(recallAt(['s1', 's1', 's1', 's2'], ['s2'], 2)).toBe(1);
    expect(recallAt(['a', 'b'], ['a', 'a'], 1)).toBe(1);
  });

  it('is null if nothing is relevant', () => expect(recallAt(['a'], [], 3)).toBeNull());
});

describe('mean recall', () => {
  const results = [
    result('4', ['a'], ['a'], [['s1'], ['s2', 's2', 's1']]),
    result('10', ['a', 'b', 'c'], ['a', 'x', 'b'], [['s1'], ['s1']]),
    result('5', ['a'], ['x']),
    result('4', [], ['a'], [['s1'], ['s1']]),
  ];

  it('is in percent with two decimals over the questions with evidence', () => {
    expect(results.map(({ question }) => countsForRecall(question))).toEqual([true, true, true, false]);
    expect(meanTurnRecall(results, 1)).toBe(44.44);
    expect(meanTurnRecall(results, 3)).toBe(55.56);
    expect(meanTurnRecall([], 3)).toBeNull();
    expect(meanTurnRecall(results.slice(3), 3)).toBeNull();
  });

  it('of sessions counts distinct ones in ranked order', () => {
    expect(meanSessionRecall(results, 1)).toBe(50);
    expect(meanSessionRecall(results, 2)).toBe(100);
  });

  it('is reported by category, and without the adversarial one', () => {
    expect([...resultsByCategory(results).keys()]).toEqual(['4', '5', '10']);
    expect(withoutAdversarial(results)).toHaveLength(3);
    expect(meanTurnRecall(withoutAdversarial(results), 3)).toBe(83.33);
  });
});

describe('scoreAnswer', () => {
  const perfect = { exactMatch: 1, f1: 1, bleu1: 1, rouge1: 1, rouge2: 1, rougeL: 1 };

  it('ignores case and punctuation', () => {
    expect(scoreAnswer('New York, 7 May!', 'new york 7 may')).toEqual(perfect);
    expect(scoreAnswer('Ｃafé au lait', 'café au lait.')).toEqual(perfect);
  });

  it('drops articles for exact match and F1 only', () => {
    const scores = scoreAnswer('The blue bowl', 'a blue bowl');
    expect(scores).toMatchObject({ exactMatch: 1, f1: 1 });
    expect(scores.rouge1).toBeCloseTo(2 / 3);
    expect(scoreAnswer('ça', 'ç').exactMatch).toBe(0);
  });

  it('removes punctuation for F1, like SQuAD, and splits at it for ROUGE', () => {
    const scores = scoreAnswer('well-known', 'well known');
    expect(scores).toMatchObject({ exactMatch: 0, f1: 0, rouge1: 1 });
  });

  it('counts a word as often as it occurs in both', () => {
    const scores = scoreAnswer('cat cat cat', 'cat dog');
    expect(scores.f1).toBeCloseTo(0.4);
    expect(scores.bleu1).toBeCloseTo(1 / 3);
  });

  it('penalises a short answer in BLEU', () => {
    expect(scoreAnswer('cat', 'cat dog bird').bleu1).toBeCloseTo(Math.exp(-2));
  });

  it('depends on order in ROUGE-2 and ROUGE-L', () => {
    const scores = scoreAnswer('police killed gunman', 'police kill gunman');
    expect(scores.rouge2).toBe(0);
    expect(scores.rougeL).toBeCloseTo(2 / 3);
    expect(scoreAnswer('b c a', 'a b c')).toMatchObject({ rouge1: 1, rouge2: 0.5 });
    expect(scoreAnswer('b c a', 'a b c').rougeL).toBeCloseTo(2 / 3);
  });

  it('scores single words and empty texts', () => {
    expect(scoreAnswer('yes', 'no')).toEqual({
      exactMatch: 0,
      f1: 0,
      bleu1: 0,
      rouge1: 0,
      rouge2: 0,
      rougeL: 0,
    });
    expect(scoreAnswer('Yes.', 'yes')).toEqual({ ...perfect, rouge2: 0 });
    expect(scoreAnswer('', 'yes')).toEqual({
      exactMatch: 0,
      f1: 0,
      bleu1: 0,
      rouge1: 0,
      rouge2: 0,
      rougeL: 0,
    });
    expect(scoreAnswer('', '...')).toEqual({ ...perfect, rouge2: 0 });
    expect(scoreAnswer('constructor __proto__', 'constructor __proto__').f1).toBe(1);
  });
});

describe('percentile', () => {
  it('interpolates between neighbours', () => {
    expect(percentile([4, 1, 3, 2], 50)).toBe(2.5);
    expect(percentile([10, 20], 95)).toBeCloseTo(19.5);
    expect(percentile([7], 95)).toBe(7);
    expect(percentile([1, 2, 3], 0)).toBe(1);
    expect(percentile([1, 2, 3], 100)).toBe(3);
  });

  it('is null for an empty list and does not modify its input', () => {
    expect(percentile([], 50)).toBeNull();
    const values = [3, 1];
    percentile(values, 50);
    expect(values).toEqual([3, 1]);
  });
});
