import { once } from 'node:events';
import {
  dropStaged,
  endRestore,
  replaceByStaged,
  restoreState,
  type StagedBackup,
  stageBackup,
} from '../../../src/engine/backup/restore-backup.ts';
import { openEmbedder } from '../../../src/engine/models/open-models.ts';
import { CancelledError, InvalidInputError } from '../../../src/errors/index.ts';
import { hasCode, MnemisError } from '../../../src/errors/mnemis-error.ts';
import type { SerialQueue } from '../../../src/util/serial-queue.ts';
import type { Job } from '../../contract/jobs.ts';
import type { RestorePreview } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { heldIn, Removal } from '../forgetting.ts';
import type { JobRun, TaskOf } from '../jobs/job-task.ts';

const FORGETTING = 'forgetting';

interface RestoreWork {
  /** One backup is beside the memory at a time. */
  readonly staging: SerialQueue;
  readonly task: TaskOf<'restore'>;
  readonly run: JobRun;
}

/**
 * Copies a backup beside the memory and ends the process, so that the next one opens it in place of the memory. The job
 * continues there: it forgets again what was forgotten since the backup.
 */
export async function runRestore(context: AppContext, work: RestoreWork): Promise<void> {
  const { staging, task, run } = work;
  const { path } = context.engine.describe();
  const state = restoreState(path, run.job);
  if (state === 'done') return afterRestore(context, run);
  if (state === 'undone') {
    dropNotes(context, run.job);
    endRestore(path, run.job);
    throw new RestoreUndoneError();
  }
  await staging.run(async () => {
    const staged = await compareWith(context, task.folder, {
      signal: run.signal,
      onStep: (phase) => run.report({ phase, share: phase === 'copying' ? 0.05 : 0.6 }),
    });
    const problem = await problemOf(context, staged);
    if (problem !== null) {
      dropStaged(path);
      throw new InvalidInputError(problem);
    }
    if (task.forgetAgain) note(context, run.job, staged);
    const turns = staged.scopes.reduce((sum, scope) => sum + scope.turns, 0);
    run.report({ phase: 'restarting', share: 0.8, counts: { turns } });
    await run.pauseOthers();
    if (!run.signal.aborted) {
      context.restart?.();
      if (!run.signal.aborted) await once(run.signal, 'abort');
    }
    if (!run.isClosing()) {
      dropStaged(path);
      dropNotes(context, run.job);
      throw new CancelledError('the memory is unchanged');
    }
    replaceByStaged(path, run.job);
    throw new CancelledError('the engine opens the backup next');
  });
}

/** What a restore would change. */
export async function previewRestore(
  context: AppContext,
  folder: string,
  { staging, signal }: { readonly staging: SerialQueue; readonly signal: AbortSignal | undefined },
): Promise<RestorePreview> {
  const { engine } = context;
  return staging.run(async () => {
    try {
      const staged = await compareWith(context, folder, { signal });
      const names = new Set([...staged.scopes.map(({ scope }) => scope), ...(await engine.scopes())]);
      const scopes: RestorePreview['scopes'] = [];
      for (const scope of names) {
        const { turns, missing } = staged.scopes.find((each) => each.scope === scope) ?? NOTHING;
        const now = (await engine.scope(scope).stats()).episode;
        const back = missing.length;
        scopes.push({ scope, turns, now, back, lost: Math.max(0, now - (turns - back)) });
      }
      return { createdAt: staged.createdAt, problem: await problemOf(context, staged), scopes };
    } finally {
      dropStaged(engine.describe().path);
    }
  });
}

const NOTHING = { turns: 0, missing: [] };

function compareWith(
  context: AppContext,
  folder: string,
  options: Pick<Parameters<typeof stageBackup>[2], 'onStep' | 'signal'>,
): Promise<StagedBackup> {
  const held = (scope: string, turns: readonly string[]) => heldIn(context, scope, turns);
  return stageBackup(folder, context.engine.describe().path, { ...options, held });
}

/** Why the engine would not open with the backup; null if it would. */
async function problemOf(
  { engine, config }: AppContext,
  { fingerprint }: StagedBackup,
): Promise<string | null> {
  if (fingerprint === null) return null;
  const used = engine.describe().fingerprint ?? (await configuredFingerprint(config));
  if (used.model === fingerprint.model && used.dimension === fingerprint.dimension) return null;
  return `The backup’s vectors are of ${fingerprint.model} (${fingerprint.dimension} dimensions), and this memory uses ${used.model} (${used.dimension} dimensions). Choose that embedder first, or restore it as another memory with “mnemis restore”`;
}

async function configuredFingerprint({
  embedder: name,
  embedderDimension: dimension,
  modelsFolder,
  device,
}: AppContext['config']) {
  const opened = await openEmbedder({ name, dimension, modelsFolder, device });
  await opened.close();
  return opened.fingerprint;
}

function note({ store }: AppContext, job: string, { scopes }: StagedBackup): void {
  store.file.transaction(() => {
    store.file.run('DELETE FROM forget_again WHERE job = ?', [job]);
    for (const { scope, missing } of scopes)
      for (const episode of missing)
        store.file.run('INSERT INTO forget_again (job, scope, episode) VALUES (?, ?, ?)', [
          job,
          scope,
          episode,
        ]);
  });
}

function dropNotes({ store }: AppContext, job: string): void {
  store.file.run('DELETE FROM forget_again WHERE job = ?', [job]);
}

/** Forgets what was noted; what is forgotten already is not there any more, so that it can be interrupted. */
async function afterRestore(context: AppContext, run: JobRun): Promise<void> {
  const { engine, store } = context;
  const rows = store.file.all('SELECT scope, episode FROM forget_again WHERE job = ? ORDER BY scope', [
    run.job,
  ]);
  const scopes = [...new Set(rows.map(({ scope }) => String(scope)))];
  let forgotten = run.earlier.counts.forgotten ?? 0;
  for (const scope of scopes) {
    const noted = rows.flatMap((row) => (row.scope === scope ? [String(row.episode)] : []));
    const episodes = await heldIn(context, scope, noted);
    if (episodes.length === 0) continue;
    run.report({ phase: FORGETTING, share: 0.9, counts: { ...run.earlier.counts, forgotten } });
    const removal = await Removal.begin(context, scope);
    try {
      for await (const event of engine.scope(scope).forget({ episodes }, { signal: run.signal }))
        if (event.type === 'done') forgotten += episodes.length;
    } finally {
      await removal.end();
    }
  }
  run.report({ counts: { ...run.earlier.counts, forgotten } });
  dropNotes(context, run.job);
  endRestore(engine.describe().path, run.job);
}

/** What a restore that stopped has done. */
export function describeRestored({ phase }: Pick<Job, 'phase'>): string {
  return phase === FORGETTING
    ? 'The backup is restored; some turns that were forgotten since are in memory again. Try again to forget them.'
    : 'The memory is as it was.';
}

/** The restored files did not open, so the old ones are back. */
export class RestoreUndoneError extends MnemisError {
  static readonly code = 'restore-undone';
  static override readonly isInstance = hasCode<RestoreUndoneError>(RestoreUndoneError.code);

  constructor() {
    super({
      code: RestoreUndoneError.code,
      message:
        'The restored files could not be opened, so the former memory was put back. Verify the backup.',
    });
  }
}
