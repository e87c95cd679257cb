import type { Mnemis } from '../src/engine.ts';
import type { Embedder } from '../src/inference/embedder.ts';
import type { Recipe } from '../src/retrieve/recipes/recipe.ts';
import { groupBy } from '../src/util/collections.ts';
import type { AnswersReport } from './answers-report.ts';
import { BASELINES, type Baseline, runBaselines } from './baselines.ts';
import type { EvaluationCase, EvaluationDataset } from './datasets/dataset.ts';
import { evaluateRetrieval } from './evaluate-retrieval.ts';
import { type Estimate, estimateOf, type INTERVALS } from './metrics/estimate.ts';
import { percentile, roundOrNull } from './metrics/numbers.ts';
import { countsForRecall, type QuestionResult, recallAt } from './metrics/retrieval-metrics.ts';

/** An empty memory. */
export interface OpenedRun {
  readonly engine: Mnemis;
  close(): Promise<void>;
}

export interface SuiteEmbedder {
  readonly name: string;
  readonly embedder: Embedder;
  /** Creates an empty memory with this embedder. */
  readonly open: () => Promise<OpenedRun>;
}

export interface SuiteRun {
  readonly datasets: readonly EvaluationDataset[];
  readonly embedders: readonly SuiteEmbedder[];
  readonly recipes: readonly Recipe[];
  readonly signal?: AbortSignal | undefined;
  /** Progress over the turns of all data sets and embedders. */
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
}

export interface SuiteSet {
  readonly name: string;
  readonly turns: number;
  /** Those with an evidence turn: only they count. */
  readonly questions: number;
  /** What the resamples of the intervals consist of. */
  readonly resampled: 'conversations' | 'questions';
  readonly rows: readonly SuiteRow[];
}

/** Recall of one ranking in percent. */
export interface SuiteRow {
  /** Null for BM25, which needs none. */
  readonly embedder: string | null;
  /** The name of a recipe or of a baseline. */
  readonly ranking: string;
  readonly turnRecall: Readonly<Record<'3' | '5' | '10', Estimate | null>>;
  /** Null where ten sessions say little: conversations have no more than ten, or their sessions have one turn each. */
  readonly sessionRecall: Readonly<Record<'10', Estimate | null>>;
  readonly search: { readonly p50Ms: number | null };
}

/** What `mnemis eval retrieval --suite` prints as JSON. */
export interface SuiteReport {
  readonly sets: readonly SuiteSet[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  readonly intervals: typeof INTERVALS;
}

/** What `mnemis eval answers --suite` prints as JSON. */
export interface AnswersSuite extends Pick<SuiteReport, 'skipped'> {
  readonly sets: readonly AnswersReport[];
}

/**
 * Runs recipes and baselines on several data sets with several embedders. Each conversation is ingested once for each
 * embedder, into a scope of its own, and consolidated.
 *
 * @throws CancelledError
 */
export async function runSuite({
  datasets,
  embedders,
  recipes,
  signal,
  onProgress,
}: SuiteRun): Promise<SuiteSet[]> {
  const total = embedders.length * datasets.reduce((sum, { cases }) => sum + countOfTurns(cases), 0);
  const sets: SuiteSet[] = [];
  let before = 0;
  for (const dataset of datasets) {
    const rows: SuiteRow[] = [];
    for (const each of embedders) {
      const report = (done: number, _total: number, scope: string) =>
        onProgress?.(
          before + countOfTurns(dataset.cases.slice(0, done)),
          total,
          `${dataset.name}, ${each.name}, ${scope}`,
        );
      const results = new Map([
        ...(await baselineResults(dataset, each, signal)),
        ...(await recipeResults(dataset, each, { recipes, signal, onProgress: report })),
      ]);
      before += countOfTurns(dataset.cases);
      for (const [ranking, ofRanking] of results) {
        const needsEmbedder = ranking !== BASELINES[0];
        if (needsEmbedder || each === embedders[0])
          rows.push({
            embedder: needsEmbedder ? each.name : null,
            ranking,
            ...figuresOf(dataset, ofRanking),
          });
      }
    }
    sets.push({ ...describeSet(dataset), rows });
  }
  return sets;
}

async function baselineResults(
  { cases }: EvaluationDataset,
  { embedder }: SuiteEmbedder,
  signal: AbortSignal | undefined,
): Promise<Map<string, QuestionResult[]>> {
  const results = new Map<string, QuestionResult[]>(BASELINES.map((name) => [name, []]));
  for (const each of cases) {
    const ofCase = await runBaselines(each, embedder, signal);
    for (const [name, list] of results) list.push(...ofCase[name as Baseline]);
  }
  return results;
}

async function recipeResults(
  dataset: EvaluationDataset,
  { open }: SuiteEmbedder,
  run: Pick<SuiteRun, 'recipes' | 'signal' | 'onProgress'>,
): Promise<Map<string, QuestionResult[]>> {
  const results = new Map<string, QuestionResult[]>(run.recipes.map(({ name }) => [name, []]));
  const { engine, close } = await open();
  try {
    const onResult = async (recipe: string, result: QuestionResult) => {
      results.get(recipe)!.push(result);
    };
    await evaluateRetrieval({ engine, dataset, ...run, tier: 'local', facts: 'none', onResult });
    return results;
  } finally {
    await close();
  }
}

function describeSet({ name, cases }: EvaluationDataset): Omit<SuiteSet, 'rows'> {
  const counts = cases.map(({ questions }) => questions.filter(countsForRecall).length);
  const hasGroups = counts.length > 1 && counts.some((count) => count > 1);
  return {
    name,
    turns: countOfTurns(cases),
    questions: counts.reduce((sum, count) => sum + count, 0),
    resampled: hasGroups ? 'conversations' : 'questions',
  };
}

function countOfTurns(cases: readonly EvaluationCase[]): number {
  return cases.reduce((sum, { turns }) => sum + turns.length, 0);
}

function figuresOf(
  { cases }: EvaluationDataset,
  results: readonly QuestionResult[],
): Pick<SuiteRow, 'turnRecall' | 'sessionRecall' | 'search'> {
  const scopes = new Map(cases.flatMap(({ scope, questions }) => questions.map(({ id }) => [id, scope])));
  const counted = results.filter(({ question }) => countsForRecall(question));
  const groups = [...groupBy(counted, ({ question }) => scopes.get(question.id)).values()];
  const estimate = (recallOf: (result: QuestionResult) => number | null) =>
    estimateOf(groups.map((group) => group.flatMap((result) => recallOf(result) ?? [])));
  const turns = (k: number) =>
    estimate(({ rankedTurns, question }) => recallAt(rankedTurns, question.evidenceTurns, k));
  const hasSessions = cases.every(({ turns: { length }, turns }) => {
    const { size } = new Set(turns.map(({ session }) => session));
    return size > 10 && size < length;
  });
  const times = results.map(({ milliseconds }) => milliseconds);
  return {
    turnRecall: { '3': turns(3), '5': turns(5), '10': turns(10) },
    sessionRecall: {
      '10': hasSessions
        ? estimate(({ rankedSessions, question }) => recallAt(rankedSessions, question.evidenceSessions, 10))
        : null,
    },
    search: { p50Ms: roundOrNull(percentile(times, 50)) },
  };
}
