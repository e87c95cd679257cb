import { z } from 'zod';
import { parseJson } from '../../../src/util/parse-json.ts';
import type { Job } from '../../contract/jobs.ts';
import type { AppStore } from '../store/app-store.ts';
import { type JobTask, jobTaskSchema } from './job-task.ts';

/** A job that ended is listed for so long. */
const LISTED_MILLISECONDS = 31 * 24 * 3_600_000;

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      const read = parseJson(text);
      if (read.ok) return read.value;
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    })
    .pipe(schema);

const rowSchema = z.object({
  id: z.string(),
  kind: z.enum(['import', 'pull', 'move']),
  name: z.string(),
  scope: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'paused', 'done', 'failed', 'cancelled']),
  phase: z.string(),
  share: z.number(),
  counts: json(z.record(z.string(), z.number())),
  problem: z.string().nullable(),
  task: json(jobTaskSchema),
  started_at: z.number(),
  ended_at: z.number().nullable(),
});

export interface StoredJob {
  readonly job: Job;
  readonly task: JobTask;
}

/** The jobs in the app's file. */
export class JobTable {
  readonly #store: AppStore;

  constructor(store: AppStore) {
    this.#store = store;
  }

  /** All jobs, the oldest first, after removal of those that ended long ago. A row of another version is skipped. */
  load(now: number): readonly StoredJob[] {
    this.#store.file.run('DELETE FROM job WHERE ended_at < ?', [now - LISTED_MILLISECONDS]);
    return this.#store.file.all('SELECT * FROM job ORDER BY started_at, id').flatMap((row) => {
      const parsed = rowSchema.safeParse(row);
      if (!parsed.success) return [];
      const { task, started_at: startedAt, ended_at: endedAt, ...job } = parsed.data;
      return [{ task, job: { ...job, secondsToGo: null, startedAt, endedAt } }];
    });
  }

  save({ job, task }: StoredJob): void {
    this.#store.file.run('INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [
      ...[job.id, job.kind, job.name, job.scope, job.state, job.phase, job.share],
      ...[JSON.stringify(job.counts), job.problem, JSON.stringify(task), job.startedAt, job.endedAt],
    ]);
  }

  delete(id: string): void {
    this.#store.file.run('DELETE FROM job WHERE id = ?', [id]);
  }
}
