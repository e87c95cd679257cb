import { z } from 'zod';
import type { Mnemis } from '../src/engine.ts';
import { ModelMissingError, RuntimeMissingError, UnknownNameError } from '../src/errors/index.ts';
import { cancelledEvaluation, type EvaluationDataset } from './datasets/dataset.ts';
import {
  evaluateRetrieval,
  type RetrievalReport,
  type RetrievalResult,
  retrievalReportSchema,
} from './evaluate-retrieval.ts';
import type { Ablation, AblationRun } from './papers/ablations.ts';

/** What `mnemis eval retrieval --ablation` prints as JSON. */
export const ablationReportSchema = z.strictObject({
  ablation: z.string(),
  title: z.string(),
  rows: z.array(
    z.strictObject({
      label: z.string(),
      /** The name of the ingest profile. */
      profile: z.string(),
      /** The paper's figures, by metric. */
      paper: z.record(z.string(), z.number()).nullable(),
      report: retrievalReportSchema,
    }),
  ),
  /** Lines of the table that were skipped, with the reason. */
  skipped: z.array(z.strictObject({ label: z.string(), reason: z.string() })),
  note: z.string().nullable(),
});
export type AblationReport = z.output<typeof ablationReportSchema>;

/** An empty memory. */
export interface OpenedRun {
  readonly engine: Mnemis;
  close(): Promise<void>;
}

export interface AblationEvaluation {
  readonly dataset: EvaluationDataset;
  readonly facts: 'none' | 'dataset';
  /** Creates a memory for each run, with the run's ingest profile and reranker. */
  readonly open: (run: AblationRun) => Promise<OpenedRun>;
  readonly signal?: AbortSignal | undefined;
  /** Progress over the cases of all runs. */
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  readonly onResult?:
    | ((
        result: RetrievalResult,
        asked: { readonly profile: string; readonly recipe: string },
      ) => Promise<void>)
    | undefined;
}

/**
 * Runs all lines of a table on one data set, which is ingested once for each ingest profile. Skips lines whose models
 * are not installed; the report states the reason.
 *
 * @throws CancelledError
 */
export async function evaluateAblation(
  ablation: Ablation,
  evaluation: AblationEvaluation,
): Promise<AblationReport> {
  const rows: AblationReport['rows'] = [];
  const skipped: AblationReport['skipped'] = [];
  for (const [place, run] of ablation.runs.entries()) {
    if (evaluation.signal?.aborted) throw cancelledEvaluation(evaluation.signal);
    const opened = await evaluation.open(run).catch((error: unknown) => reasonOf(run, error));
    if (typeof opened === 'string') {
      skipped.push(...run.rows.map(({ label }) => ({ label, reason: opened })));
      continue;
    }
    try {
      const reports = await reportsOf(run, opened, { ...evaluation, place, runs: ablation.runs.length });
      rows.push(...rowsOf(run, reports, opened.engine.describeIngestion().profile));
    } finally {
      await opened.close();
    }
  }
  const { name, title, note = null } = ablation;
  return ablationReportSchema.parse({ ablation: name, title, rows, skipped, note });
}

async function reportsOf(
  { profile, rows }: AblationRun,
  { engine }: OpenedRun,
  {
    place,
    runs,
    onProgress,
    onResult,
    ...evaluation
  }: AblationEvaluation & { readonly place: number; readonly runs: number },
): Promise<RetrievalReport[]> {
  return evaluateRetrieval({
    engine,
    dataset: evaluation.dataset,
    facts: evaluation.facts,
    signal: evaluation.signal,
    recipes: rows.map(({ recipe }) => recipe),
    tier: profile.tier,
    onProgress: (done, total, what) =>
      onProgress?.(place * total + done, runs * total, `${profile.name}: ${what}`),
    onResult: async (recipe, result) => onResult?.(result, { profile: profile.name, recipe }),
  });
}

function rowsOf(
  { rows }: AblationRun,
  reports: readonly RetrievalReport[],
  profile: string,
): AblationReport['rows'] {
  return rows.map(({ label, paper }, at) => ({
    label,
    profile,
    paper: paper === undefined ? null : { ...paper },
    report: reports[at]!,
  }));
}

/** The reason for skipping a run: its model is not installed. Any other error ends the evaluation. */
function reasonOf({ reranker }: AblationRun, error: unknown): string {
  const missing = [ModelMissingError, RuntimeMissingError, UnknownNameError];
  const known = missing.find((kind) => kind.isInstance(error));
  if (reranker === undefined || known === undefined) throw error;
  return (error as Error).message;
}
