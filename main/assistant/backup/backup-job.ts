import { basename } from 'node:path';
import { isBackup } from '../../../src/files/backup/restore-backup.ts';
import type { Job } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import { withName } from '../jobs/import-job.ts';
import type { JobRun, TaskOf } from '../jobs/job-task.ts';
import type { Uploads } from '../jobs/uploads.ts';
import { addConversations, conversationsIn, saveConversations } from '../store/conversation-archive.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { BackupFolder } from './backup-folder.ts';

/** Copies the memory. A copy that was interrupted is made again from its beginning. */
export async function runBackup(
  context: AppContext,
  { task, run }: { readonly task: TaskOf<'backup'>; readonly run: JobRun },
): Promise<void> {
  run.report({ phase: 'copying' });
  await context.running.movesEnded(); // meanwhile two memories have the turns
  // The process may have ended between the last step and its record.
  if (!(await isBackup(task.folder))) {
    const { bytes, scopes } = await context.engine.backup(task.folder, { signal: run.signal });
    run.report({ counts: { bytes, totalBytes: bytes, scopes } });
  }
  await saveConversations(context.store, task.folder);
  if (!task.isAutomatic) return;
  await prune(context, basename(task.folder)).catch(() =>
    context.logger.warn('Old automatic backups could not be deleted; the next backup tries it again.'),
  );
}

/** Deletes the oldest automatic backups of this memory; those that a person asked for stay. */
async function prune(context: AppContext, newest: string): Promise<void> {
  const folder = new BackupFolder(context);
  const { keep } = readPreferences(context.store).backups;
  const own = await folder.automatic();
  for (const { name } of own.slice(keep)) if (name !== newest) await folder.delete(name);
}

export const describeBackedUp = (): string => 'No backup was written; earlier ones are kept.';

/** Reads an export into a scope, or continues: rows that are there are skipped. */
export async function runArchive(
  { engine, store }: AppContext,
  {
    uploads,
    task,
    run,
  }: { readonly uploads: Uploads; readonly task: TaskOf<'archive'>; readonly run: JobRun },
): Promise<void> {
  const { path, name } = await uploads.whole(task.upload);
  run.report({ phase: 'restoring' });
  const { signal } = run;
  // With new ids, the conversations would not know their turns. They are checked before anything is stored.
  const copy = task.newIds === true ? null : await withName({ path, name }, () => conversationsIn(path));
  const { nodes, skipped, forgotten, forgottenTurns } = await withName({ path, name }, () =>
    engine.scope(task.scope).importFrom(path, { signal, newIds: task.newIds }),
  );
  if (copy !== null) addConversations(store, copy, { scope: task.scope, gone: forgottenTurns });
  run.report({ counts: { rows: nodes, skipped, forgotten } });
}

export const describeArchive = (_: Job): string =>
  'Rows that were stored are kept; another try continues there.';
