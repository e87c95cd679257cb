import { describe, expect, it } from 'vitest';
import type { QuestionResult } from '../../src/eval/metrics/recall.ts';
import { buildRetrievalReport, retrievalReportSchema } from '../../src/eval/retrieval-report.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';

function result(category: string, evidenceTurns: string[], milliseconds: number): QuestionResult {
  const question = {
    id: category,
    text: '',
    category,
    answer: null,
    evidenceTurns,
    evidenceSessions: ['s2'],
  };
  return {
    question,
    rankedTurns: ['a', 'b', 'c', 'd'],
    rankedSessions: ['s1', 's1', 's1', 's2'],
    milliseconds,
  };
}

const RUN = {
  dataset: 'locomo',
  recipe: 'mnemis',
  tier: 'local',
  results: [result('1', ['a', 'd', 'z'], 10), result('5', ['d'], 20), result('3', [], 30)],
  ingest: { turns: 100, seconds: 3 },
  usage: NO_USAGE,
};

describe('retrieval report', () => {
  it('has exactly the agreed fields', () => {
    expect(buildRetrievalReport(RUN)).toEqual({
      dataset: 'locomo',
      recipe: 'mnemis',
      tier: 'local',
      questions: 2,
      turnRecall: { '3': 16.67, '5': 83.33, '10': 83.33, '20': 83.33 },
      sessionRecall: { '3': 100, '5': 100, '10': 100 },
      withoutCategory5: { questions: 1, turnRecall: { '10': 66.67 } },
      byCategory: {
        '1': { questions: 1, turnRecall: { '10': 66.67 } },
        '3': { questions: 0, turnRecall: { '10': null } },
        '5': { questions: 1, turnRecall: { '10': 100 } },
      },
      ingest: { turns: 100, seconds: 3, turnsPerSecond: 33.33 },
      search: { p50Ms: 20, p95Ms: 29 },
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
  });

  it('carries a note and the calibration of the machine', () => {
    const report = buildRetrievalReport({
      ...RUN,
      note: 'random: 50 %',
      calibration: { sortPerSecond: 12.5 },
    });
    expect(report).toMatchObject({ note: 'random: 50 %', calibration: { sortPerSecond: 12.5 } });
  });

  it('is valid JSON without any question', () => {
    const report = buildRetrievalReport({ ...RUN, results: [], ingest: { turns: 0, seconds: 0 } });
    expect(retrievalReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report).toMatchObject({ questions: 0, turnRecall: { '10': null }, search: { p50Ms: null } });
  });

  it('refuses fields that nobody agreed on', () => {
    const report = buildRetrievalReport(RUN);
    expect(retrievalReportSchema.safeParse({ ...report, score: 1 }).success).toBe(false);
  });
});
