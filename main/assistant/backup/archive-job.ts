import type { Job } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import { withName } from '../jobs/import-job.ts';
import type { JobRun, TaskOf } from '../jobs/job-task.ts';
import type { Uploads } from '../jobs/uploads.ts';

/** Reads an export into a scope, or continues: rows that are there are skipped. */
export async function runArchive(
  { engine }: AppContext,
  {
    uploads,
    task,
    run,
  }: { readonly uploads: Uploads; readonly task: TaskOf<'archive'>; readonly run: JobRun },
): Promise<void> {
  const { path, name } = await uploads.whole(task.upload);
  run.report({ phase: 'restoring' });
  const { signal } = run;
  const { nodes, skipped, forgotten } = await withName({ path, name }, () =>
    engine.scope(task.scope).importFrom(path, { signal, newIds: task.newIds }),
  );
  run.report({ counts: { rows: nodes, skipped, forgotten } });
}

export const describeArchive = (_: Job): string =>
  'Rows that were stored are kept; another try continues there.';
