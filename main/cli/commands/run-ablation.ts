import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenedEmbedder } from '../../../src/engine/models/open-models.ts';
import type { Ablation, AblationRun } from '../../../src/eval/ablations.ts';
import {
  type AblationReport,
  evaluateAblation,
  type OpenedRun,
} from '../../../src/eval/evaluate-ablation.ts';
import type { RunLog } from '../../../src/eval/run-log.ts';
import type { Config } from '../../config.ts';
import { startProgress } from '../progress.ts';
import { type PreparedRun, questionLine } from './prepared-run.ts';

/** Runs the lines of an ablation in memories of their own, with the configured embedder, which is opened once. */
export async function runAblation(
  ablation: Ablation,
  run: PreparedRun & { readonly facts: 'none' | 'dataset'; readonly log: RunLog | null },
): Promise<AblationReport> {
  const { config, dataset, console, signal, facts, log } = run;
  const { openEmbedder } = await import('../../../src/engine/models/open-models.ts');
  const { embedder: name, embedderDimension: dimension, modelsFolder, device } = config;
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-eval-'));
  const progress = startProgress(console, 'Evaluating', ablation.runs.length * dataset.cases.length);
  try {
    await using embedder = await openEmbedder({ name, dimension, modelsFolder, device, signal });
    return await evaluateAblation(ablation, {
      ...{ dataset, facts, signal },
      open: (each) => openRun(each, { config, embedder, folder, signal }),
      onProgress: (done, _total, what) => progress.update(done, what),
      onResult: async (result, asked) => log?.append(questionLine(result, asked)),
    });
  } finally {
    progress.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface RunSetting {
  readonly config: Config;
  readonly embedder: OpenedEmbedder;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function openRun(
  { profile, reranker: asked }: AblationRun,
  { config, embedder, folder, signal }: RunSetting,
): Promise<OpenedRun> {
  const { modelsFolder, device, bufferPoolMb, redactSecrets, neverRemember = [] } = config;
  const [{ Mnemis }, { openReranker }] = await Promise.all([
    import('../../../src/engine.ts'),
    import('../../../src/engine/models/open-models.ts'),
  ]);
  const name = asked ?? config.reranker;
  const reranker = name === 'none' ? undefined : await openReranker({ name, modelsFolder, device, signal });
  const path = join(await mkdtemp(join(folder, 'run-')), 'eval.db');
  try {
    const engine = await Mnemis.open({
      ...{ path, bufferPoolMb, redactSecrets, neverRemember, automatic: false, profile, embedder },
      ...(reranker && { reranker }),
    });
    return { engine, close: () => engine.close().finally(() => reranker?.close()) };
  } catch (error) {
    await reranker?.close();
    throw error;
  }
}
