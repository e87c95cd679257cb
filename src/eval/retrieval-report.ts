import { z } from 'zod';
import type { Usage } from '../model/retrieved-item.ts';
import { percentile } from './metrics/percentile.ts';
import {
  countsForRecall,
  meanSessionRecall,
  meanTurnRecall,
  type QuestionResult,
  resultsByCategory,
  withoutAdversarial,
} from './metrics/recall.ts';

/** Percent with 2 decimals; null where no question counts. */
const percent = z.number().min(0).max(100).nullable();
const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative().nullable();
const part = z.strictObject({ questions: count, turnRecall: z.strictObject({ '10': percent }) });

/** What `mnemis eval retrieval` prints as JSON. `questions` counts those with a valid evidence turn. */
export const retrievalReportSchema = z.strictObject({
  dataset: z.string(),
  recipe: z.string(),
  tier: z.string(),
  questions: count,
  turnRecall: z.strictObject({ '3': percent, '5': percent, '10': percent, '20': percent }),
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
  usage: z.strictObject({ calls: count, promptTokens: count, completionTokens: count }),
  note: z.string().optional(),
  /** Seconds or rates of known work in the same run, to compare machines by (DESIGN §8.14). */
  calibration: z.record(z.string(), z.number()).optional(),
});

export type RetrievalReport = z.output<typeof retrievalReportSchema>;

export interface RetrievalRun {
  readonly dataset: string;
  readonly recipe: string;
  readonly tier: string;
  /** Of all questions, those that don't count included: their time does. */
  readonly results: readonly QuestionResult[];
  readonly ingest: { readonly turns: number; readonly seconds: number };
  readonly usage: Usage;
  readonly note?: string;
  readonly calibration?: Readonly<Record<string, number>>;
}

export function buildRetrievalReport(run: RetrievalRun): RetrievalReport {
  const { dataset, recipe, tier, results, ingest, usage, note, calibration } = run;
  return retrievalReportSchema.parse({
    dataset,
    recipe,
    tier,
    questions: countedOf(results),
    turnRecall: recalls(results, [3, 5, 10, 20], meanTurnRecall),
    sessionRecall: recalls(results, [3, 5, 10], meanSessionRecall),
    withoutCategory5: partOf(withoutAdversarial(results)),
    byCategory: Object.fromEntries(
      [...resultsByCategory(results)].map(([name, part]) => [name, partOf(part)]),
    ),
    ingest: { ...ingest, turnsPerSecond: ingest.seconds > 0 ? round(ingest.turns / ingest.seconds) : 0 },
    search: searchTimes(results),
    usage: { ...usage },
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

function searchTimes(results: readonly QuestionResult[]): RetrievalReport['search'] {
  const times = results.map((result) => result.milliseconds);
  const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
  return { p50Ms: p50 === null ? null : round(p50), p95Ms: p95 === null ? null : round(p95) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
