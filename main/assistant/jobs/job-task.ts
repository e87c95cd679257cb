import { z } from 'zod';
import type { Job } from '../../contract/jobs.ts';

/** What a job needs to begin, and to continue after a restart. Stored as JSON. */
export const jobTaskSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('import'),
    upload: z.string(),
    scope: z.string(),
    settings: z
      .object({
        format: z.string(),
        me: z.string(),
        speaker: z.string(),
        /** What memory calls that speaker. */
        name: z.string(),
        timeZone: z.string(),
        dateOrder: z.enum(['auto', 'day-first', 'month-first', 'year-first']),
        branches: z.enum(['active', 'all']),
        includeTemporary: z.boolean(),
      })
      .partial(),
    enrich: z.boolean(),
    tokenBudget: z.number().optional(),
    /** The language model that reads the turns; null: none does. */
    model: z.string().nullable(),
  }),
  z.object({ kind: z.literal('pull'), name: z.string() }),
  z.object({ kind: z.literal('move'), embedder: z.string() }),
  z.object({
    kind: z.literal('backup'),
    /** Absolute path of the new folder. */
    folder: z.string(),
    isAutomatic: z.boolean(),
  }),
  z.object({
    kind: z.literal('restore'),
    folder: z.string(),
    /** Whether turns that were forgotten since the backup are forgotten again. */
    forgetAgain: z.boolean(),
  }),
  z.object({ kind: z.literal('archive'), upload: z.string(), scope: z.string(), newIds: z.boolean() }),
]);
export type JobTask = z.output<typeof jobTaskSchema>;
export type TaskOf<Kind extends JobTask['kind']> = Extract<JobTask, { kind: Kind }>;

export type JobProgress = Partial<Pick<Job, 'phase' | 'share' | 'secondsToGo' | 'counts'>>;

/** One run of a job; after a pause or a restart there is another one. */
export interface JobRun {
  readonly job: string;
  readonly signal: AbortSignal;
  /** As the job was when it last stopped: its counts are those of the earlier runs. */
  readonly earlier: Pick<Job, 'share' | 'counts'>;
  report(progress: JobProgress): void;
  /** Whether the signal fired because the process ends, so that the job continues in the next one. */
  isClosing(): boolean;
  /** Pauses all other jobs. */
  pauseOthers(): Promise<void>;
}

/** Jobs of one lane run one after another. */
export function laneOf(task: JobTask): string {
  if (task.kind === 'import') return `import ${task.scope}`;
  if (task.kind === 'archive') return `import ${task.scope}`;
  if (task.kind === 'pull') return `pull ${task.name}`;
  return task.kind === 'move' ? 'move' : 'backup';
}

export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';
