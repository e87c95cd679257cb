import { fetchModel } from '../../src/inference/models/model-catalogue.ts';
import type { Config } from '../config.ts';
import type { CommandConsole } from './console.ts';
import { startProgress } from './progress.ts';

interface PullContext {
  readonly console: CommandConsole;
  readonly config: Config;
  readonly signal: AbortSignal;
}

/** Fetches a model, with its progress. */
export async function pull(name: string, { console, config, signal }: PullContext) {
  const progress = startProgress(console, 'Fetching', 100);
  const { modelsFolder, modelsMirror: mirror, offline } = config;
  try {
    return await fetchModel({
      name,
      modelsFolder,
      mirror,
      offline,
      token: console.terminal.env.HF_TOKEN || undefined,
      signal,
      onProgress: ({ file, done, total }) =>
        progress.update(
          (100 * done) / Math.max(1, total),
          `${megabytes(done)} of ${megabytes(total)}, ${file}`,
        ),
      onWait: () => console.note('Another process is downloading this model; waiting for it.'),
      onRetry: ({ what }) => console.note(`${what}. Retrying; press Ctrl-C to stop.`),
    });
  } finally {
    progress.stop();
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
