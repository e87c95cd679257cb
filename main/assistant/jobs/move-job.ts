import { openEmbedder } from '../../../src/inference/models/open-models.ts';
import type { Job } from '../../contract/jobs.ts';
import { InvalidSettingError } from '../../errors.ts';
import type { AppContext } from '../app-context.ts';
import { openedSettings } from '../settings/opened-settings.ts';
import { writeSettings } from '../settings/settings-file.ts';
import type { JobRun, TaskOf } from './job-task.ts';
import { Rate } from './pace.ts';

const CLEANING = 'cleaning';

/** @throws InvalidSettingError where the settings file does not decide about the embedder. */
export function checkMove(context: AppContext): void {
  const { sources, values } = openedSettings(context);
  const keys = [
    'embedder',
    ...(values.embedderDimension === undefined ? [] : ['embedderDimension']),
  ] as const;
  for (const key of keys)
    if (sources[key as 'embedder'] === 'flag' || sources[key as 'embedder'] === 'environment')
      throw new InvalidSettingError(
        `The setting ${key} comes from a flag or the environment, which overrides the settings file, so the next start would use the former embedder. Remove it there and start the engine again`,
      );
}

/**
 * Moves all vectors to another embedder, or continues, and sets it. Resolves with what is left to do once the job is
 * recorded: a restart, so that the process works with its settings.
 */
export async function runMove(
  context: AppContext,
  { task, run }: { readonly task: TaskOf<'move'>; readonly run: JobRun },
): Promise<(() => void) | undefined> {
  const { config, engine, events, logger } = context;
  const { file } = openedSettings(context);
  await writeSettings(file, {}); // a file that cannot be written must fail the job now, not after hours
  run.report({ phase: 'loading' });
  const { modelsFolder, device } = config;
  const { signal } = run;
  const embedder = await openEmbedder({ name: task.embedder, modelsFolder, device, logger, signal });
  const rate = new Rate();
  let isInUse = false;
  try {
    for await (const event of engine.reembed({ embedder, signal }))
      if (event.type === 'progress') run.report(progressOf(event, rate));
      else if (event.type === 'switched') {
        isInUse = true;
        // At once: a memory whose vectors are of another embedder than the settings name does not open.
        await writeSettings(file, { embedder: task.embedder, embedderDimension: null });
        run.report({ phase: CLEANING, secondsToGo: null });
      } else run.report({ counts: { texts: event.texts, totalTexts: event.texts } });
  } finally {
    // The engine uses the new embedder from the switch to its end, and the process ends with it.
    if (!isInUse) await embedder.close();
  }
  if (!isInUse) await writeSettings(file, { embedder: task.embedder, embedderDimension: null });
  events.emit({ type: 'settings' });
  return config.embedder === task.embedder ? undefined : context.restart;
}

function progressOf({ done, total }: { readonly done: number; readonly total: number }, rate: Rate) {
  return {
    phase: 'moving',
    share: total === 0 ? 0 : done / total,
    secondsToGo: rate.secondsToGo(done, total),
    counts: { texts: done, totalTexts: total },
  };
}

export function describeMoved({ counts: { texts = 0, totalTexts = 0 }, phase }: Job): string {
  if (phase === CLEANING) return 'Memory uses the new embedder; some old vectors still take space.';
  return `Memory uses the embedder that it used before; ${texts} of ${totalTexts} texts are moved already, and another move continues there.`;
}
