import {
  FileUnreadableError,
  InvalidInputError,
  ModelBundledError,
  UnknownNameError,
} from '../../../src/errors/index.ts';
import { chatModelNamed } from '../../../src/inference/llama/chat-models.ts';
import {
  embedderReference,
  isBundled,
  modelReference,
} from '../../../src/inference/models/model-reference.ts';
import type { ImportPreviewReply, Job } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import { AutomaticBackups } from '../backup/automatic-backups.ts';
import { describeArchive, describeBackedUp, runArchive, runBackup } from '../backup/backup-job.ts';
import { knownDatabases } from '../backup/known-databases.ts';
import { describeRestored, owesForgetting, runRestore } from '../backup/restore-job.ts';
import { Staging } from '../backup/staging.ts';
import type { UsageEstimate } from '../usage-log.ts';
import { describeImported, runImport } from './import-job.ts';
import type { StoredJob } from './job-table.ts';
import { hasEnded } from './job-task.ts';
import { checkMove, describeMoved, runMove } from './move-job.ts';
import { describePulled, runPull } from './pull-job.ts';
import { type JobWork, RunningJobs } from './running-jobs.ts';
import { type Sample, SampleMemory } from './sample-memory.ts';
import { UploadMissingError, Uploads } from './uploads.ts';

/** A failed import keeps its file for so long, so that it can be tried again. */
const RETRY_MILLISECONDS = 24 * 3_600_000;

/** The long work of the app, and the files that clients sent for it. */
export class AppJobs {
  readonly uploads: Uploads;
  readonly runningJobs: RunningJobs;
  readonly #context: AppContext;
  readonly #sample: SampleMemory;
  readonly staging = new Staging();
  readonly automatic: AutomaticBackups;
  /** What previews expected of uploads. */
  readonly estimates = new ImportEstimates();

  private constructor(context: AppContext) {
    this.#context = context;
    this.#sample = new SampleMemory(context);
    this.uploads = new Uploads(context);
    this.runningJobs = new RunningJobs(context, workOf(context, this));
    this.automatic = new AutomaticBackups(context, this.runningJobs);
  }

  /** With `continues`, goes on with the jobs that ran when the process ended. */
  static async open(context: AppContext, { continues }: { readonly continues: boolean }): Promise<AppJobs> {
    const jobs = new AppJobs(context);
    knownDatabases(context); // notes the one of now
    if (!continues) return jobs;
    await jobs.clean();
    await jobs.uploads.removeStrays();
    jobs.runningJobs.begin();
    jobs.automatic.begin();
    return jobs;
  }

  /** Whether a job needs an upload, now or for another try. */
  readonly isInUse = (upload: string): boolean =>
    this.runningJobs.stored().some((each) => this.#needs(each, upload));

  /** Deletes uploads that nobody will use. */
  readonly clean = (): Promise<void> => this.uploads.clean(this.isInUse);

  /** @throws UnknownNameError, ModelBundledError */
  readonly startPull = (id: string, name: string): Job => {
    if (isBundled(name)) throw new ModelBundledError(name);
    if (chatModelNamed(name) === undefined) modelReference(name);
    const model = name.toLowerCase();
    return this.runningJobs.start({ id, name: model, scope: null }, { kind: 'pull', name: model });
  };

  /** @throws UnknownNameError, InvalidSettingError */
  readonly startMove = (id: string, name: string): Job => {
    const embedder = name.toLowerCase();
    if (!isBundled(embedder)) embedderReference(embedder);
    if (this.runningJobs.find(id) === null) checkMove(this.#context);
    return this.runningJobs.start({ id, name: embedder, scope: null }, { kind: 'move', embedder });
  };

  readonly sample = (): Promise<Sample> => this.#sample.open();

  close(): Promise<void> {
    this.automatic.close();
    return this.runningJobs.close();
  }

  #needs({ job, task }: StoredJob, upload: string): boolean {
    if ((task.kind !== 'import' && task.kind !== 'archive') || task.upload !== upload) return false;
    if (job.state !== 'failed') return !hasEnded(job);
    return (job.endedAt ?? 0) > this.#context.clock() - RETRY_MILLISECONDS;
  }
}

const DESCRIPTIONS = {
  import: describeImported,
  pull: describePulled,
  move: describeMoved,
  backup: describeBackedUp,
  archive: describeArchive,
} as const;

function workOf(context: AppContext, { uploads, staging }: Pick<AppJobs, 'uploads' | 'staging'>): JobWork {
  return {
    run: async (task, run) => {
      if (task.kind === 'move') return runMove(context, { task, run });
      if (task.kind === 'pull') await runPull(context, { task, run });
      else if (task.kind === 'backup') await runBackup(context, { task, run });
      else if (task.kind === 'restore') await runRestore(context, { staging, task, run });
      else if (task.kind === 'archive') await runArchive(context, { uploads, task, run });
      else await runImport(context, { uploads, task, run });
      return undefined;
    },
    describeKept: (job) =>
      job.kind === 'restore' ? describeRestored(context, job) : DESCRIPTIONS[job.kind](job),
    hasToContinue: ({ id, kind }) => kind === 'restore' && owesForgetting(context, id),
    ended: async (task, error) => {
      if ((task.kind === 'import' || task.kind === 'archive') && (error === undefined || isOfTheFile(error)))
        await uploads.delete(task.upload);
    },
    canRetry: (task) =>
      (task.kind !== 'import' && task.kind !== 'archive') || uploads.find(task.upload) !== null,
  };
}

/** Whether another try with the same file would fail too. */
function isOfTheFile(error: unknown): boolean {
  return [FileUnreadableError, InvalidInputError, UnknownNameError, UploadMissingError].some((each) =>
    each.isInstance(error),
  );
}

type Cost = ImportPreviewReply['cost'];

/** Uploads whose estimate is kept. */
const MOST = 200;

/** What the last preview of each upload expected, until its import begins. A restart of the engine loses them. */
class ImportEstimates {
  readonly #costs = new Map<string, Cost>();

  note(upload: string, cost: Cost): void {
    this.#costs.delete(upload);
    this.#costs.set(upload, cost);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size > MOST && oldest !== undefined) this.#costs.delete(oldest);
  }

  /** Null where no preview was made, or the model's use cannot be foreseen. */
  take(upload: string, { model, enrich }: { readonly model: string | null; readonly enrich: boolean }) {
    const cost = this.#costs.get(upload);
    this.#costs.delete(upload);
    return cost === undefined || !enrich ? null : estimateOf(cost, model);
  }
}

function estimateOf({ local, llm }: Cost, model: string | null): UsageEstimate | null {
  return model === null ? { calls: 0, tokens: 0, seconds: local.seconds, dollars: 0 } : llm;
}
