import { fetchModel } from '../../../src/inference/models/model-catalogue.ts';
import type { AppContext } from '../app-context.ts';
import type { JobRun, TaskOf } from './job-task.ts';
import { Rate } from './pace.ts';

/** Downloads a model, or its missing files: what an earlier run fetched is kept. */
export async function runPull(
  { config, environment, events }: AppContext,
  { task, run }: { readonly task: TaskOf<'pull'>; readonly run: JobRun },
): Promise<void> {
  const rate = new Rate();
  run.report({ phase: 'fetching' });
  await fetchModel({
    name: task.name,
    modelsFolder: config.modelsFolder,
    mirror: config.modelsMirror,
    offline: config.offline,
    token: environment.HF_TOKEN || undefined,
    signal: run.signal,
    onProgress: ({ done, total }) =>
      run.report({
        phase: 'fetching',
        share: total === 0 ? 0 : done / total,
        secondsToGo: rate.secondsToGo(done, total),
        counts: { bytes: done, totalBytes: total },
      }),
    onWait: () => run.report({ phase: 'waiting for another process' }),
  });
  events.emit({ type: 'settings' }); // lists of models show it
}

export function describePulled({
  counts: { bytes = 0 },
}: {
  readonly counts: Readonly<Record<string, number>>;
}): string {
  return bytes === 0 ? '' : `${(bytes / 1e6).toFixed(1)} MB are kept; another download continues there.`;
}
