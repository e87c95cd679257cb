import { z } from 'zod';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import type { Mnemis } from '../src/engine.ts';
import type { RankedEpisode, RouteTrace, Usage } from '../src/model/retrieved-item.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import {
  cancelledEvaluation,
  type EvaluationCase,
  type EvaluationDataset,
  ingestCase,
  sourceIdsByPlace,
} from './datasets/dataset.ts';
import { percentile, round, roundOrNull, sumOfUsages } from './metrics/numbers.ts';
import {
  countsForRecall,
  meanSessionRecall,
  meanTurnRecall,
  noAnswerShare,
  pagerankTimes,
  type QuestionResult,
  resultsByCategory,
  routeShares,
  walkHitRate,
  withoutAdversarial,
} from './metrics/retrieval-metrics.ts';

/** Percent with 2 decimals; null if no question counts. */
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
    '3': percent,
    '5': percent,
    '10': percent,
    '20': percent,
    '30': percent,
    '50': percent,
  }),
  sessionRecall: z.strictObject({ '3': percent, '5': percent, '10': percent }),
  /** Without LoCoMo's adversarial questions, as in the papers; for other data sets equal to `overall`. */
  withoutCategory5: part,
  byCategory: z.record(z.string(), part),
  ingest: z.strictObject({
    turns: count,
    seconds: z.number().nonnegative(),
    turnsPerSecond: z.number().nonnegative(),
  }),
  search: z.strictObject({ p50Ms: milliseconds, p95Ms: milliseconds }),
  /** By route: percent of all questions by end, and milliseconds if it ran. */
  routes: z.record(z.string(), z.strictObject({ ...shares, meanMs: milliseconds })),
  /** Share of the walks down the hierarchy that selected something; null if there was no walk. */
  system2HitRate: percent,
  /** Share of the graph traversals without an answer; null if there was no traversal. */
  noAnswerRate: percent,
  /** PageRank only, without building its subgraph; null if it did not run. */
  pagerankMs: z.strictObject({ p50: z.number().nonnegative(), p95: z.number().nonnegative() }).nullable(),
  /** Share of evidence turns that PageRank ranked at any rank (MemORAI Table 7); null if it did not run. */
  subgraphCoverage: percent,
  /** Total of all searches; zero in the local tier. */
  usage: z.strictObject({ calls: count, promptTokens: count, completionTokens: count }),
  note: z.string().optional(),
  /** Seconds or rates of reference work in the same run, to compare machines. */
  calibration: z.record(z.string(), z.number()).optional(),
});

/** Recall of a recipe on a data set in percent, and the results of its routes. */
export type RetrievalReport = z.output<typeof retrievalReportSchema>;

/** The ranking of one search, and the traces of its routes. */
export interface RetrievalResult extends QuestionResult {
  readonly routes: readonly RouteTrace[];
  readonly usage: Usage;
  /**
   * Source ids of the turns that PageRank ran over; null if it did not run, or ran over more turns than a search can
   * list.
   */
  readonly subgraphTurns: readonly string[] | null;
}

export interface RetrievalRun {
  readonly dataset: string;
  readonly recipe: string;
  readonly tier: string;
  /** All questions, including those without evidence, whose time counts. */
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
    usage: sumOfUsages(results.map(({ usage }) => usage)),
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

function searchTimes(results: readonly QuestionResult[]): RetrievalReport['search'] {
  const times = results.map((result) => result.milliseconds);
  return { p50Ms: roundOrNull(percentile(times, 50)), p95Ms: roundOrNull(percentile(times, 95)) };
}

/** Input of `evaluateRetrieval`: recipes on a data set, in new scopes of an engine. */
export interface RetrievalEvaluation {
  readonly engine: Mnemis;
  readonly dataset: EvaluationDataset;
  readonly recipes: readonly Recipe[];
  readonly tier: string;
  /** `dataset` adds the facts in the data set. */
  readonly facts: 'none' | 'dataset';
  /** Whether the engine's language model rewrites each question. Default false. */
  readonly rewrite?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  /** Receives each result, with the recipe's name, as soon as it is available. */
  readonly onResult?: ((recipe: string, result: RetrievalResult) => Promise<void>) | undefined;
}

/** Ingests each case into its own scope and runs all its questions with every recipe. */
export async function evaluateRetrieval(evaluation: RetrievalEvaluation): Promise<RetrievalReport[]> {
  const { dataset, recipes, tier, onProgress } = evaluation;
  const results = new Map(recipes.map((recipe) => [recipe.name, [] as RetrievalResult[]]));
  const written = { turns: 0, seconds: 0 };
  for (const [position, each] of dataset.cases.entries()) {
    onProgress?.(position, dataset.cases.length, each.scope);
    const memory = evaluation.engine.scope(each.scope);
    written.seconds += await ingest(memory, each, evaluation);
    written.turns += each.turns.length;
    for (const recipe of recipes)
      results.get(recipe.name)!.push(...(await askAll(memory, each, { recipe, evaluation })));
  }
  return recipes.map(({ name: recipe }) =>
    buildRetrievalReport({
      dataset: dataset.name,
      recipe,
      tier,
      results: results.get(recipe)!,
      ingest: written,
      ...(dataset.note === undefined ? {} : { note: dataset.note }),
    }),
  );
}

async function ingest(
  memory: MemoryScope,
  each: EvaluationCase,
  { facts, signal }: RetrievalEvaluation,
): Promise<number> {
  const { seconds } = await ingestCase(memory, each, { signal });
  if (facts === 'none') return seconds;
  const started = performance.now();
  await memory.addFacts(each.facts, { signal });
  await memory.flush({ signal });
  return seconds + (performance.now() - started) / 1000;
}

async function askAll(
  memory: MemoryScope,
  { turns, questions }: EvaluationCase,
  { recipe, evaluation }: { recipe: Recipe; evaluation: RetrievalEvaluation },
): Promise<RetrievalResult[]> {
  const { signal, rewrite, onResult } = evaluation;
  const sourceIdAt = sourceIdsByPlace(turns);
  const idsOf = (ranked: readonly RankedEpisode[]) => ranked.flatMap((turn) => sourceIdAt(turn) ?? []);
  const results: RetrievalResult[] = [];
  for (const question of questions) {
    if (signal?.aborted) throw cancelledEvaluation(signal);
    const { ranked, milliseconds, routes, usage } = await memory.search(question.text, {
      recipe,
      rewrite,
      signal,
    });
    const subgraph = await turnsInSubgraph(memory, question.text, { recipe, signal });
    const result: RetrievalResult = {
      question,
      rankedTurns: idsOf(ranked.episodes),
      rankedSessions: ranked.episodes.map(({ session }) => session),
      subgraphTurns: subgraph === null ? null : idsOf(subgraph),
      milliseconds,
      routes,
      usage,
    };
    await onResult?.(recipe.name, result);
    results.push(result);
  }
  return results;
}

/** The longest list that a search returns. */
const DEEPEST = 1_000;

/**
 * The turns that PageRank ranks for a question: lists all of them by a second search with only that route, not included
 * in the first one's time. Null if the recipe has no such route or there are more turns than a search lists.
 */
export async function turnsInSubgraph(
  memory: MemoryScope,
  question: string,
  { recipe, signal }: { recipe: Recipe; signal: AbortSignal | undefined },
): Promise<readonly RankedEpisode[] | null> {
  const route = recipe.routes.find((each) => each.route === 'pagerank');
  if (route === undefined) return null;
  const { when: _, ...always } = route;
  const alone: Recipe = {
    ...recipe,
    depth: DEEPEST,
    rerank: undefined,
    routes: [{ ...always, kinds: ['episode'], weight: 1 }],
  };
  const { ranked } = await memory.search(question, { recipe: alone, signal });
  return ranked.episodes.length < DEEPEST ? ranked.episodes : null;
}
