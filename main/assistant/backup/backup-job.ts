import { basename } from 'node:path';
import { isBackup } from '../../../src/files/backup/restore-backup.ts';
import type { AppContext } from '../app-context.ts';
import type { JobRun, TaskOf } from '../jobs/job-task.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { BackupFolder } from './backup-folder.ts';

/** Copies the memory. A copy that was interrupted is made again from its beginning. */
export async function runBackup(
  context: AppContext,
  { task, run }: { readonly task: TaskOf<'backup'>; readonly run: JobRun },
): Promise<void> {
  run.report({ phase: 'copying' });
  // The process may have ended between the last step and its record.
  if (!(await isBackup(task.folder))) {
    const { bytes, scopes } = await context.engine.backup(task.folder, { signal: run.signal });
    run.report({ counts: { bytes, totalBytes: bytes, scopes } });
  }
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

/** What a backup that stopped has kept. */
export const describeBackedUp = (): string => 'No backup was written; earlier ones are kept.';
