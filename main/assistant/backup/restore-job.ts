import { once } from 'node:events';
import { CancelledError, FileUnreadableError, InvalidInputError } from '../../../src/errors/index.ts';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import type { PresentMemory } from '../../../src/files/backup/compare-draft.ts';
import {
  carrierTo,
  dropStaged,
  endRestore,
  replaceByStaged,
  restoreState,
  type StagedBackup,
  stageBackup,
} from '../../../src/files/backup/restore-backup.ts';
import { openEmbedder } from '../../../src/inference/models/open-models.ts';
import { hasFiles } from '../../beside-memory.ts';
import type { Job } from '../../contract/jobs.ts';
import type { RestorePreview } from '../../contract.ts';
import type { AppContext } from '../app-context.ts';
import { heldIn, Removal } from '../forgetting.ts';
import type { JobRun, TaskOf } from '../jobs/job-task.ts';
import {
  addStaged,
  conversationProblem,
  dropStagedConversations,
  stageConversations,
} from '../store/conversation-archive.ts';
import { knownDatabases } from './known-databases.ts';
import type { Staging } from './staging.ts';

const FORGETTING = 'forgetting';

interface RestoreWork {
  readonly staging: Staging;
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
  if (state === 'done') {
    // Before what was forgotten since is forgotten again, so that it leaves these conversations too.
    await addStaged(context.store, { bringsBack: !task.forgetAgain, movesBack: true }).catch(
      async (error: unknown) => {
        if (!FileUnreadableError.isInstance(error)) throw error;
        context.logger.warn(error.message); // they were checked; what is to be forgotten must not wait for them
        await dropStagedConversations(context.store);
      },
    );
    return afterRestore(context, run);
  }
  if (state === 'undone') {
    dropNotes(context, run.job);
    await dropStagedConversations(context.store);
    endRestore(path, run.job);
    throw new RestoreUndoneError();
  }
  await staging.restore((waits) => replace(context, { task, run, waits }));
}

async function replace(
  context: AppContext,
  { task, run, waits }: Omit<RestoreWork, 'staging'> & { readonly waits: () => void },
): Promise<void> {
  const { path } = context.engine.describe();
  const { signal } = run;
  const staged = await compareWith(context, task.folder, {
    signal,
    onStep: (phase) => run.report({ phase, share: phase === 'copying' ? 0.05 : 0.6 }),
  });
  try {
    await stageConversations(context.store, task.folder);
    const problem = await problemOf(context, staged);
    if (problem !== null) throw new InvalidInputError(problem);
    const carrier = carrierTo(path, { memory: presentMemory(context), forgetAgain: task.forgetAgain });
    const carry = async (before: StagedBackup['scopes'], signal?: AbortSignal) => {
      const changed = new Map((await carrier.carry(signal)).map((each) => [each.scope, each]));
      const scopes = before.map((each) => changed.get(each.scope) ?? each);
      if (task.forgetAgain) note(context, run.job, scopes);
      return scopes;
    };
    const scopes = await carry(staged.scopes, signal);
    const turns = scopes.reduce((sum, scope) => sum + scope.turns, 0);
    run.report({ phase: 'restarting', share: 0.8, counts: { turns } });
    await run.pauseOthers();
    waits();
    if (!signal.aborted) {
      context.restart?.();
      if (!signal.aborted) await once(signal, 'abort');
    }
    if (!run.isClosing()) throw new CancelledError('the memory is unchanged');
    // By now, no request is under way: what was forgotten since the comparison has its tombstones. Not with the signal,
    // which has fired.
    await carry(scopes);
    if (context.store.moves.list().length > 0) throw new InvalidInputError(BEING_MOVED);
  } catch (error) {
    dropStaged(path);
    dropNotes(context, run.job);
    await dropStagedConversations(context.store);
    throw error;
  }
  replaceByStaged(path, run.job);
  throw new CancelledError('the engine opens the backup next');
}

/** What is left to do of a move would be done to the restored memory, which may have the turns in one scope only. */
const BEING_MOVED = 'A conversation is being moved between memories; restart the app, and restore afterwards';

export async function previewRestore(
  context: AppContext,
  folder: string,
  { staging, signal }: { readonly staging: Staging; readonly signal: AbortSignal | undefined },
): Promise<RestorePreview> {
  const { engine } = context;
  return staging.preview(async () => {
    try {
      const staged = await compareWith(context, folder, { signal });
      const names = new Set([...staged.scopes.map(({ scope }) => scope), ...(await engine.scopes())]);
      const scopes: RestorePreview['scopes'] = [];
      for (const scope of names) {
        const { turns, ...missing } = staged.scopes.find((each) => each.scope === scope) ?? NOTHING;
        const now = (await engine.scope(scope).stats()).episode;
        const forgotten = missing.forgotten.length;
        const back = forgotten + missing.absent;
        scopes.push({ scope, turns, now, back, forgotten, lost: Math.max(0, now - (turns - back)) });
      }
      const problem =
        (await problemOf(context, staged)) ?? (await conversationProblem(context.store, folder));
      const isOther = !knownDatabases(context).has(staged.databaseId);
      return { createdAt: staged.createdAt, problem, isOther, scopes };
    } finally {
      dropStaged(engine.describe().path);
    }
  }, signal);
}

const NOTHING = { turns: 0, forgotten: [], absent: 0 };

function compareWith(
  context: AppContext,
  folder: string,
  options: Pick<Parameters<typeof stageBackup>[2], 'onStep' | 'signal'>,
): Promise<StagedBackup> {
  return stageBackup(folder, context.engine.describe().path, { ...options, memory: presentMemory(context) });
}

function presentMemory(context: AppContext): PresentMemory {
  const { engine } = context;
  return {
    scopes: () => engine.scopes(),
    held: (scope, turns) => heldIn(context, scope, turns),
    tombstones: (scope) => engine.scope(scope).tombstones(),
    moved: async (turns) => {
      const found = [];
      for (const scope of await engine.scopes()) found.push(...(await engine.scope(scope).turnsLike(turns)));
      return found;
    },
  };
}

/** Why the engine would not open with the backup; null if it would. */
async function problemOf(
  { engine, config, store }: AppContext,
  { fingerprint }: StagedBackup,
): Promise<string | null> {
  if (store.moves.list().length > 0) return BEING_MOVED;
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

function note({ store }: AppContext, job: string, scopes: StagedBackup['scopes']): void {
  store.file.transaction(() => {
    store.file.run('DELETE FROM forget_again WHERE job = ?', [job]);
    for (const { scope, forgotten } of scopes)
      for (const episode of forgotten)
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

/** Whether the restored memory has turns that the job has to forget again. */
export function owesForgetting({ engine, store }: AppContext, job: string): boolean {
  const { path } = engine.describe();
  if (!hasFiles(path) || restoreState(path, job) !== 'done') return false;
  return store.file.all('SELECT 1 FROM forget_again WHERE job = ? LIMIT 1', [job]).length > 0;
}

export function describeRestored(context: AppContext, { id }: Pick<Job, 'id'>): string {
  const { path } = context.engine.describe();
  const state = hasFiles(path) ? restoreState(path, id) : null;
  if (state === 'under-way') return 'The backup replaces the memory when the engine opens next.';
  if (state !== 'done') return 'The memory is as it was.';
  return owesForgetting(context, id)
    ? 'The backup is restored; some turns that were forgotten since are in memory again. Try again to forget them.'
    : 'The backup is restored.';
}

/** The restored files did not open, so the old ones are back. */
export class RestoreUndoneError extends defineError('restore-undone', () => ({
  message: 'The restored files could not be opened, so the former memory was put back. Verify the backup.',
})) {}
