import type { EvaluationDataset } from '../../../src/eval/datasets/evaluation-dataset.ts';
import type { RetrievalResult } from '../../../src/eval/retrieval-report.ts';
import { RunLog } from '../../../src/eval/run-log.ts';
import type { Config } from '../../config.ts';
import type { CommandConsole } from '../console.ts';
import { mnemisVersion } from '../version.ts';

/** An evaluation of retrieval, ready to run. */
export interface PreparedRun {
  readonly config: Config;
  readonly dataset: EvaluationDataset;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
  /** Where its raw results go. */
  readonly out: string | null;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** Keeps what a run appends; the file gets its own name when the run ends well. */
export async function withLog<T>(
  { out, configuration }: PreparedRun,
  run: (log: RunLog | null) => Promise<T>,
): Promise<T> {
  if (out === null) return run(null);
  const log = await RunLog.create(out, 'retrieval', {
    version: mnemisVersion(),
    node: process.version,
    startedAt: new Date().toISOString(),
    configuration,
  });
  try {
    const result = await run(log);
    await log.finish();
    return result;
  } finally {
    await log.close();
  }
}

/** What the log keeps of one question. */
export function questionLine(
  { question, ...result }: RetrievalResult,
  asked: { readonly profile: string; readonly recipe: string },
) {
  const { id, category, text, evidenceTurns, evidenceSessions } = question;
  return {
    ...{ kind: 'question', ...asked, id, category, question: text, evidenceTurns, evidenceSessions },
    ...result,
  };
}
