import { z } from 'zod';
import { parseJson } from '../../../src/util/parse-json.ts';
import { type Job, jobSchema } from '../../contract/jobs.ts';
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
  ...jobSchema.pick({ kind: true, name: true, scope: true, state: true }).shape,
  ...jobSchema.pick({ phase: true, share: true, problem: true }).shape,
  counts: json(jobSchema.shape.counts),
  task: json(jobTaskSchema),
  started_at: z.number(),
  ended_at: z.number().nullable(),
});

export interface StoredJob {
  readonly job: Job;
  readonly task: JobTask;
}

export class JobTable {
  readonly #store: AppStore;

  constructor(store: AppStore) {
    this.#store = store;
  }

  /** All jobs, the oldest first, after removal of those that ended long ago and have nothing to forget again. A row of another version is skipped. */
  load(now: number): readonly StoredJob[] {
    this.#store.file.run('DELETE FROM job WHERE ended_at < ? AND id NOT IN (SELECT job FROM forget_again)', [
      now - LISTED_MILLISECONDS,
    ]);
    return this.#store.file.all('SELECT * FROM job ORDER BY started_at, id').flatMap((row) => {
      const parsed = rowSchema.safeParse(row);
      if (!parsed.success) return [];
      const { task, started_at: startedAt, ended_at: endedAt, ...job } = parsed.data;
      return [{ task, job: { ...job, waitsFor: null, secondsToGo: null, startedAt, endedAt } }];
    });
  }

  /** The name of a job that is there stays as the table has it: forgetting may have removed it there. */
  save({ job, task }: StoredJob): void {
    this.#store.file.run(
      `INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, phase = excluded.phase, share = excluded.share,
         counts = excluded.counts, problem = excluded.problem, ended_at = excluded.ended_at`,
      [
        ...[job.id, job.kind, job.name, job.scope, job.state, job.phase, job.share],
        ...[JSON.stringify(job.counts), job.problem, JSON.stringify(task), job.startedAt, job.endedAt],
      ],
    );
  }

  /** What is written for people of a job; null if there is no such job. */
  words(id: string): Pick<Job, 'name' | 'problem'> | null {
    const [row] = this.#store.file.all('SELECT name, problem FROM job WHERE id = ?', [id]);
    if (row === undefined) return null;
    return { name: String(row.name), problem: row.problem === null ? null : String(row.problem) };
  }

  delete(id: string): void {
    this.#store.file.run('DELETE FROM job WHERE id = ?', [id]);
  }
}
