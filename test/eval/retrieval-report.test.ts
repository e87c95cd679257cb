import { describe, expect, it } from 'vitest';
import {
  buildRetrievalReport,
  type RetrievalResult,
  retrievalReportSchema,
} from '../../eval/evaluate-retrieval.ts';
import { NO_USAGE, type RouteTrace } from '../../src/model/retrieved-item.ts';

function result(category: string, evidenceTurns: string[], milliseconds: number): RetrievalResult {
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
    routes: [],
    usage: NO_USAGE,
    subgraphTurns: null,
  };
}

function trace(route: string, end: RouteTrace['end'], more: Partial<RouteTrace> = {}): RouteTrace {
  const found = { episodes: 0, entities: 0, facts: 0 };
  return {
    route,
    end,
    milliseconds: 4,
    found,
    failure: null,
    notes: [],
    figures: {},
    usage: NO_USAGE,
    ...more,
  };
}

function walk(categories: number): Partial<RouteTrace> {
  const none = { selector: 'local', steps: [], endLayer: null, failure: null, entities: 0 };
  return { walk: { ...none, end: 'complete', categories } };
}

/** Questions with one evidence turn each, by the outcome of the routes. */
function traced(...routes: RouteTrace[][]): RetrievalResult[] {
  return routes.map((each) => ({ ...result('1', ['a'], 1), routes: each }));
}

const RUN = {
  dataset: 'locomo',
  recipe: 'mnemis',
  tier: 'local',
  results: [result('1', ['a', 'd', 'z'], 10), result('5', ['d'], 20), result('3', [], 30)],
  ingest: { turns: 100, seconds: 3 },
};

describe('retrieval report', () => {
  it('has exactly the specified fields', () => {
    expect(buildRetrievalReport(RUN)).toEqual({
      dataset: 'locomo',
      recipe: 'mnemis',
      tier: 'local',
      questions: 2,
      turnRecall: { '3': 16.67, '5': 83.33, '10': 83.33, '20': 83.33, '30': 83.33, '50': 83.33 },
      sessionRecall: { '3': 100, '5': 100, '10': 100 },
      withoutCategory5: { questions: 1, turnRecall: { '10': 66.67 } },
      byCategory: {
        '1': { questions: 1, turnRecall: { '10': 66.67 } },
        '3': { questions: 0, turnRecall: { '10': null } },
        '5': { questions: 1, turnRecall: { '10': 100 } },
      },
      ingest: { turns: 100, seconds: 3, turnsPerSecond: 33.33 },
      search: { p50Ms: 20, p95Ms: 29 },
      routes: {},
      system2HitRate: null,
      noAnswerRate: null,
      pagerankMs: null,
      subgraphCoverage: null,
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
  });

  it('contains a note and the calibration of the machine', () => {
    const report = buildRetrievalReport({
      ...RUN,
      note: 'random: 50 %',
      calibration: { sortPerSecond: 12.5 },
    });
    expect(report).toMatchObject({ note: 'random: 50 %', calibration: { sortPerSecond: 12.5 } });
  });

  it('is valid JSON without questions', () => {
    const report = buildRetrievalReport({ ...RUN, results: [], ingest: { turns: 0, seconds: 0 } });
    expect(retrievalReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report).toMatchObject({ questions: 0, turnRecall: { '10': null }, search: { p50Ms: null } });
  });

  it('reports how each route ended, and its duration if it ran', () => {
    const results = traced(
      [trace('system1', 'found', { milliseconds: 2 }), trace('system2', 'skipped', { milliseconds: 0 })],
      [trace('system1', 'found', { milliseconds: 5 }), trace('system2', 'skipped', { milliseconds: 0 })],
      [trace('system1', 'failed', { milliseconds: 2 }), trace('system2', 'late', { milliseconds: 8 })],
    );
    const none = { found: 0, nothing: 0, skipped: 0, late: 0, failed: 0 };
    expect(buildRetrievalReport({ ...RUN, results }).routes).toEqual({
      system1: { ...none, found: 66.67, failed: 33.33, meanMs: 3 },
      system2: { ...none, skipped: 66.67, late: 33.33, meanMs: 8 },
    });
  });

  it('counts the walks with a selection among all walks', () => {
    const results = traced(
      [trace('system2', 'found', walk(2))],
      [trace('system2', 'nothing', walk(0))],
      [trace('system2', 'late')],
      [trace('system2', 'skipped')],
    );
    expect(buildRetrievalReport({ ...RUN, results }).system2HitRate).toBe(33.33);
  });

  it('counts the traversals without an answer', () => {
    const results = traced(
      ...[1, 0, 0, 0].map((noAnswer) => [trace('traversal', 'found', { figures: { noAnswer } })]),
      [trace('traversal', 'failed')],
    );
    expect(buildRetrievalReport({ ...RUN, results }).noAnswerRate).toBe(25);
  });

  it('reports the time of PageRank alone and the evidence in its graph', () => {
    const results = traced(
      ...[10, 20, 30].map((pagerankMs) => [trace('pagerank', 'found', { figures: { pagerankMs } })]),
    ).map((each, at) => ({ ...each, subgraphTurns: [['z', 'a'], ['z'], null][at]! }));
    expect(buildRetrievalReport({ ...RUN, results })).toMatchObject({
      pagerankMs: { p50: 20, p95: 29 },
      subgraphCoverage: 50,
    });
  });

  it('sums the cost of all searches', () => {
    const usage = { calls: 1, promptTokens: 20, completionTokens: 3 };
    const results = RUN.results.map((each) => ({ ...each, usage }));
    expect(buildRetrievalReport({ ...RUN, results }).usage).toEqual({
      calls: 3,
      promptTokens: 60,
      completionTokens: 9,
    });
  });

  it('rejects unknown fields', () => {
    const report = buildRetrievalReport(RUN);
    expect(retrievalReportSchema.safeParse({ ...report, score: 1 }).success).toBe(false);
  });
});
