import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenedRun } from '../../../eval/suite.ts';
import type { OpenedEmbedder } from '../../../src/inference/models/open-models.ts';
import type { IngestProfile } from '../../../src/ingest/profile.ts';
import type { Config } from '../../config.ts';

interface RunSetting {
  readonly config: Config;
  readonly embedder: OpenedEmbedder;
  /** The memory's files are created in a folder of their own in it. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Creates an empty memory with this ingest profile and the configured reranker. */
export async function openRun(
  profile: IngestProfile,
  { config, embedder, folder, environment, signal }: RunSetting,
): Promise<OpenedRun> {
  const { bufferPoolMb, redactSecrets, neverRemember = [] } = config;
  const [{ Mnemis }, { configuredReranker }] = await Promise.all([
    import('../../../src/engine.ts'),
    import('../../reranker.ts'),
  ]);
  const reranker = await configuredReranker(config, environment, { signal });
  const path = join(await mkdtemp(join(folder, 'run-')), 'eval.db');
  try {
    const engine = await Mnemis.open({
      path,
      bufferPoolMb,
      redactSecrets,
      neverRemember,
      automatic: false,
      profile,
      embedder,
      ...(reranker && { reranker }),
    });
    return { engine, close: () => engine.close().finally(() => reranker?.close()) };
  } catch (error) {
    await reranker?.close();
    throw error;
  }
}
