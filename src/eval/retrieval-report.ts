import { z } from 'zod';
import { NO_USAGE, type RouteTrace, type Usage } from '../model/retrieved-item.ts';
import { percentile } from './metrics/percentile.ts';
import {
  countsForRecall,
  meanSessionRecall,
  meanTurnRecall,
  type QuestionResult,
  resultsByCategory,
  withoutAdversarial,
} from './metrics/recall.ts';
import { noAnswerShare, pagerankTimes, routeShares, walkHitRate } from './metrics/route-figures.ts';

/** Percent with 2 decimals; null where no question counts. */
const percent = z.number().min(0).max(100).nullable();
const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative().nullable();
const shares = { found: percent, nothing: percent, skipped: percent, late: percent, failed: percent };
const part = z.strictObject({ questions: count, turnRecall: z.strictObject({ '10': percent }) });

/** What `mnemis eval retrieval` prints as JSON. `questions` counts those with a valid evidence turn. */
export const retrievalReportSchema = z.strictObject({
  dataset: z.string(),
  recipe: z.string(),
  tier: z.string(),
  questions: count,
  turnRecall: z.strictObject({
    ...{ '3': percent, '5': percent, '10': percent, '20': percent },
    ...{ '30': percent, '50': percent },
  }),
  sessionRecall: z.strictObject({ '3': percent, '5': percent, '10': percent }),
  /** LoCoMo's adversarial questions left out, as in the papers; elsewhere the same as the whole. */
  withoutCategory5: part,
  byCategory: z.record(z.string(), part),
  ingest: z.strictObject({
    turns: count,
    seconds: z.number().nonnegative(),
    turnsPerSecond: z.number().nonnegative(),
  }),
  search: z.strictObject({ p50Ms: milliseconds, p95Ms: milliseconds }),
  /** By route: percent of all questions by how it ended, and milliseconds where it ran. */
  routes: z.record(z.string(), z.strictObject({ ...shares, meanMs: milliseconds })),
  /** Of the walks down the hierarchy, those that selected something; null where nothing was walked. */
  system2HitRate: percent,
  /** Of the graph traversals, those without an answer; null where nothing was traversed. */
  noAnswerRate: percent,
  /** PageRank alone, without what it is run over; null where it did not run. */
  pagerankMs: z.strictObject({ p50: z.number().nonnegative(), p95: z.number().nonnegative() }).nullable(),
  /** Evidence turns that PageRank ranked, whatever their rank (MemORAI Table 7); null where it did not run. */
  subgraphCoverage: percent,
  /** Of all searches together; the local tier's cost nothing. */
  usage: z.strictObject({ calls: count, promptTokens: count, completionTokens: count }),
  note: z.string().optional(),
  /** Seconds or rates of known work in the same run, to compare machines by (DESIGN §8.14). */
  calibration: z.record(z.string(), z.number()).optional(),
});

export type RetrievalReport = z.output<typeof retrievalReportSchema>;

/** What one search ranked, and how it came to it. */
export interface RetrievalResult extends QuestionResult {
  readonly routes: readonly RouteTrace[];
  readonly usage: Usage;
  /** Source ids of the turns that PageRank ran over; null where it did not run, or over more than could be listed. */
  readonly subgraphTurns: readonly string[] | null;
}

export interface RetrievalRun {
  readonly dataset: string;
  readonly recipe: string;
  readonly tier: string;
  /** Of all questions, those that don't count included: their time does. */
  readonly results: readonly RetrievalResult[];
  readonly ingest: { readonly turns: number; readonly seconds: number };
  readonly note?: string;
  readonly calibration?: Readonly<Record<string, number>>;
}

export function buildRetrievalReport(run: RetrievalRun): RetrievalReport {
  const { dataset, recipe, tier, results, ingest, note, calibration } = run;
  const traces = results.flatMap(({ routes }) => routes);
  return retrievalReportSchema.parse({
    dataset,
    recipe,
    tier,
    questions: countedOf(results),
    turnRecall: recalls(results, [3, 5, 10, 20, 30, 50], meanTurnRecall),
    sessionRecall: recalls(results, [3, 5, 10], meanSessionRecall),
    withoutCategory5: partOf(withoutAdversarial(results)),
    byCategory: Object.fromEntries(
      [...resultsByCategory(results)].map(([name, part]) => [name, partOf(part)]),
    ),
    ingest: { ...ingest, turnsPerSecond: ingest.seconds > 0 ? round(ingest.turns / ingest.seconds) : 0 },
    search: searchTimes(results),
    routes: routeShares(traces),
    system2HitRate: walkHitRate(traces),
    noAnswerRate: noAnswerShare(traces),
    pagerankMs: pagerankTimes(traces),
    subgraphCoverage: coverageOf(results),
    usage: usageOf(results),
    ...(note === undefined ? {} : { note }),
    ...(calibration === undefined ? {} : { calibration }),
  });
}

function countedOf(results: readonly QuestionResult[]): number {
  return results.filter(({ question }) => countsForRecall(question)).length;
}

function partOf(results: readonly QuestionResult[]): z.output<typeof part> {
  return { questions: countedOf(results), turnRecall: { '10': meanTurnRecall(results, 10) } };
}

function recalls(
  results: readonly QuestionResult[],
  depths: readonly number[],
  mean: (results: readonly QuestionResult[], k: number) => number | null,
): Record<string, number | null> {
  return Object.fromEntries(depths.map((k) => [String(k), mean(results, k)]));
}

function coverageOf(results: readonly RetrievalResult[]): number | null {
  const ranked = results.flatMap(({ subgraphTurns, ...result }) =>
    subgraphTurns === null ? [] : { ...result, rankedTurns: subgraphTurns },
  );
  return meanTurnRecall(ranked, Number.POSITIVE_INFINITY);
}

function usageOf(results: readonly RetrievalResult[]): Usage {
  return results.reduce(
    (sum, { usage }) => ({
      calls: sum.calls + usage.calls,
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
    }),
    NO_USAGE,
  );
}

function searchTimes(results: readonly QuestionResult[]): RetrievalReport['search'] {
  const times = results.map((result) => result.milliseconds);
  const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
  return { p50Ms: p50 === null ? null : round(p50), p95Ms: p95 === null ? null : round(p95) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
