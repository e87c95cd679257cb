import { isDeepStrictEqual } from 'node:util';
import {
  CancelledError,
  InvalidInputError,
  MnemisError,
  UnknownNameError,
} from '../../../src/errors/index.ts';
import { placeOf } from '../../../src/util/describe-issues.ts';
import type { Job } from '../../contract/jobs.ts';
import type { AppContext } from '../app-context.ts';
import { JobTable, type StoredJob } from './job-table.ts';
import { hasEnded, type JobProgress, type JobRun, type JobTask, laneOf } from './job-task.ts';

export interface JobWork {
  /**
   * Does the job or continues it; throws CancelledError when the signal fires. What it returns is called once the job is
   * recorded as done.
   */
  run(task: JobTask, run: JobRun): Promise<(() => void) | undefined>;
  /** What a job that stopped has done, as a sentence; it follows the reason. */
  describeKept(job: Job): string;
  /** Releases what only the job needs. `error` is absent where the job is done or was cancelled. */
  ended(task: JobTask, error?: unknown): Promise<void>;
  /** Whether a job that has begun must not be given up: it can be resumed, but neither cancelled nor dismissed. */
  hasToContinue(job: Job): boolean;
  /** Whether a failed job can run again. */
  canRetry(task: JobTask): boolean;
}

type Stop = 'pause' | 'cancel' | 'close';

interface Entry extends StoredJob {
  job: Job;
  readonly task: JobTask;
  work: { readonly controller: AbortController; stop: Stop | null; readonly done: Promise<void> } | null;
  readonly followers: Set<() => void>;
  /** Of the last write to the table and the last call of the followers; in milliseconds. */
  savedAt: number;
  toldAt: number;
  timer: NodeJS.Timeout | null;
  /** Writes the last step, where no later one does. */
  saving: NodeJS.Timeout | null;
}

const BETWEEN_STEPS_MILLISECONDS = 100;
const BETWEEN_WRITES_MILLISECONDS = 500;

/**
 * Long work that continues without its client and after a restart. A job waits while another one of its lane runs. Its
 * progress is held in memory and written to the app's file at most twice a second.
 */
export class RunningJobs {
  readonly #context: Pick<AppContext, 'store' | 'events' | 'logger' | 'clock'>;
  readonly #work: JobWork;
  readonly #table: JobTable;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  #isClosing = false;

  /** Loads the jobs; `begin` starts them. */
  constructor(context: Pick<AppContext, 'store' | 'events' | 'logger' | 'clock'>, work: JobWork) {
    this.#context = context;
    this.#work = work;
    this.#table = new JobTable(context.store);
    for (const { job, task } of this.#table.load(context.clock())) {
      const state = job.state === 'running' ? 'waiting' : job.state;
      this.#entries.set(job.id, entryOf({ task, job: { ...job, state } }));
    }
  }

  /** Starts what ran or waited when the process ended. */
  begin(): void {
    this.#schedule();
  }

  /** The newest first. */
  list(): readonly Job[] {
    return Array.from(this.#entries.values(), ({ job }) => job).reverse();
  }

  get isBusy(): boolean {
    return this.list().some(({ state }) => state === 'running');
  }

  find(id: string): Job | null {
    return this.#entries.get(id)?.job ?? null;
  }

  stored(): readonly StoredJob[] {
    return [...this.#entries.values()];
  }

  /** Idempotent for the same task. @throws InvalidInputError */
  start(about: Pick<Job, 'id' | 'name' | 'scope'>, task: JobTask): Job {
    const known = this.#entries.get(about.id);
    if (known !== undefined) {
      if (isDeepStrictEqual(known.task, task)) return known.job;
      throw new InvalidInputError('A job with this id was started for something else');
    }
    const entry = entryOf({
      task,
      job: {
        ...about,
        kind: task.kind,
        state: 'waiting',
        waitsFor: null,
        phase: 'waiting',
        share: 0,
        secondsToGo: null,
        counts: {},
        problem: null,
        startedAt: this.#context.clock(),
        endedAt: null,
      },
    });
    this.#entries.set(about.id, entry);
    this.#tell(entry);
    this.#schedule();
    return entry.job;
  }

  /** The job now, and after each step; ends with the job. @throws UnknownNameError, CancelledError */
  async *follow(id: string, signal?: AbortSignal): AsyncGenerator<Job, void> {
    const entry = this.#get(id);
    let wake = () => {};
    const call = () => wake();
    entry.followers.add(call);
    signal?.addEventListener('abort', call);
    try {
      for (let shown: Job | null = null; ; ) {
        if (signal?.aborted) throw new CancelledError('the job goes on', signal.reason);
        if (shown !== entry.job) {
          shown = entry.job;
          yield shown;
          if (hasEnded(shown)) return;
        } else if (this.#isClosing) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      entry.followers.delete(call);
      signal?.removeEventListener('abort', call);
    }
  }

  /** @throws UnknownNameError, InvalidInputError where the job's state does not allow it. */
  async control(id: string, action: 'pause' | 'resume' | 'cancel' | 'dismiss'): Promise<Job> {
    const entry = this.#get(id);
    if (action === 'pause') await this.#pause(entry);
    else if (action === 'resume') this.#resume(entry);
    else if (action === 'cancel') await this.#cancel(entry);
    else await this.#dismiss(entry);
    return entry.job;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(Array.from(this.#entries.values(), (entry) => this.#stop(entry, 'close')));
    for (const entry of this.#entries.values()) {
      for (const timer of [entry.timer, entry.saving]) if (timer !== null) clearTimeout(timer);
      for (const call of entry.followers) call();
    }
  }

  async #pause(entry: Entry): Promise<void> {
    if (hasEnded(entry.job)) throw new InvalidInputError('The job has ended, so it cannot be paused');
    if (entry.work === null) this.#change(entry, { state: 'paused', secondsToGo: null });
    else await this.#stop(entry, 'pause');
    this.#schedule();
  }

  async #pauseOthers(entry: Entry): Promise<void> {
    const others = [...this.#entries.values()].filter(
      (other) => other !== entry && !hasEnded(other.job) && other.job.state !== 'paused',
    );
    // First those that wait, which would begin in place of a running one.
    for (const other of others.filter(({ work }) => work === null)) await this.#pause(other);
    for (const other of others)
      if (!hasEnded(other.job) && other.job.state !== 'paused') await this.#pause(other);
  }

  #resume(entry: Entry): void {
    const { state } = entry.job;
    if (state === 'waiting' || state === 'running') return;
    const isUnfinished =
      state === 'failed' ? this.#work.canRetry(entry.task) : this.#work.hasToContinue(entry.job);
    if (state !== 'paused' && !isUnfinished)
      throw new InvalidInputError('The job has ended and cannot be continued; start another one');
    this.#change(entry, { state: 'waiting', problem: null, endedAt: null });
    this.#schedule();
  }

  async #cancel(entry: Entry): Promise<void> {
    if (hasEnded(entry.job) && entry.job.state !== 'failed') return;
    this.#refuseToGiveUp(entry);
    if (entry.work === null) await this.#end(entry, { state: 'cancelled' });
    else await this.#stop(entry, 'cancel');
    this.#schedule();
  }

  async #dismiss(entry: Entry): Promise<void> {
    if (!hasEnded(entry.job)) throw new InvalidInputError('The job has not ended; cancel it first');
    this.#refuseToGiveUp(entry);
    await this.#work.ended(entry.task);
    this.#entries.delete(entry.job.id);
    this.#table.delete(entry.job.id);
    this.#context.events.emit({ type: 'job', job: entry.job.id });
  }

  #refuseToGiveUp({ job }: Entry): void {
    if (this.#work.hasToContinue(job))
      throw new InvalidInputError(
        'The job has to remove text from memory that was forgotten; pause or resume it, but let it end',
      );
  }

  /** After a forgetting: names and problems as the table has them now. */
  refreshWords(): void {
    for (const entry of this.#entries.values()) {
      const words = this.#table.words(entry.job.id);
      if (words === null || (words.name === entry.job.name && words.problem === entry.job.problem)) continue;
      entry.job = { ...entry.job, ...words };
      this.#callFollowers(entry);
      this.#context.events.emit({ type: 'job', job: entry.job.id });
    }
  }

  /** Resolves when the work has stopped. A cancellation replaces a pause; the end of the app replaces neither. */
  async #stop(entry: Entry, stop: Stop): Promise<void> {
    if (entry.work === null) return;
    entry.work.stop = stop === 'close' ? (entry.work.stop ?? stop) : stop;
    entry.work.controller.abort();
    await entry.work.done;
  }

  #schedule(): void {
    if (this.#isClosing) return;
    const entries = [...this.#entries.values()];
    const running = new Map<string, string>();
    for (const { work, task, job } of entries) if (work !== null) running.set(laneOf(task), job.id);
    for (const entry of entries) {
      if (entry.job.state !== 'waiting' || entry.work !== null) continue;
      const lane = laneOf(entry.task);
      const waitsFor = running.get(lane);
      if (waitsFor === undefined) {
        running.set(lane, entry.job.id);
        this.#begin(entry);
      } else if (waitsFor !== entry.job.waitsFor) this.#change(entry, { waitsFor });
    }
  }

  #begin(entry: Entry): void {
    const controller = new AbortController();
    const { share, counts } = entry.job;
    this.#change(entry, { state: 'running', phase: 'starting', problem: null });
    const run: JobRun = {
      job: entry.job.id,
      signal: controller.signal,
      earlier: { share, counts },
      report: (progress) => this.#progress(entry, progress),
      isClosing: () => entry.work?.stop === 'close',
      pauseOthers: () => this.#pauseOthers(entry),
    };
    const done = this.#work
      .run(entry.task, run)
      .then((afterwards) => ({ afterwards }))
      .catch((error: unknown) => ({ error }))
      .then((outcome) => this.#finish(entry, outcome));
    entry.work = { controller, stop: null, done };
  }

  async #finish(
    entry: Entry,
    outcome: { readonly afterwards: (() => void) | undefined } | { readonly error: unknown },
  ): Promise<void> {
    const stop = entry.work?.stop ?? null;
    entry.work = null;
    try {
      if ('afterwards' in outcome) {
        await this.#end(entry, { state: 'done' });
        outcome.afterwards?.();
      } else if (stop === null) await this.#end(entry, { state: 'failed', error: outcome.error });
      else if (stop === 'cancel') await this.#end(entry, { state: 'cancelled' });
      else this.#change(entry, { state: stop === 'pause' ? 'paused' : 'waiting', secondsToGo: null });
    } catch (error) {
      // The app's file cannot be written: the job stays in its last state there, and runs again after a restart.
      this.#warn(error);
    }
    this.#schedule();
  }

  async #end(
    entry: Entry,
    { state, error }: { readonly state: 'done' | 'failed' | 'cancelled'; readonly error?: unknown },
  ): Promise<void> {
    const kept = this.#work.describeKept(entry.job);
    const problem =
      state === 'failed' ? `${this.#reasonOf(error)} ${kept}` : state === 'cancelled' ? kept : null;
    this.#change(entry, {
      ...(state === 'done' ? { share: 1, phase: 'done' } : {}),
      state,
      problem,
      secondsToGo: null,
      endedAt: this.#context.clock(),
    });
    await this.#work.ended(entry.task, ...(state === 'failed' ? [error] : []));
  }

  /** Messages of other errors may quote a turn. */
  #reasonOf(error: unknown): string {
    if (MnemisError.isInstance(error)) return error.message;
    this.#context.logger.warn(`A job failed because of a defect: ${placeOf(error)}`);
    return 'It stopped because of an unexpected fault in Mnemis; its output has details.';
  }

  #change(entry: Entry, changes: Partial<Job>): void {
    entry.job = { ...entry.job, waitsFor: null, ...changes };
    this.#tell(entry);
  }

  #progress(entry: Entry, progress: JobProgress): void {
    entry.job = { ...entry.job, ...progress, share: Math.max(entry.job.share, progress.share ?? 0) };
    if (entry.timer !== null) return;
    const wait = entry.toldAt + BETWEEN_STEPS_MILLISECONDS - performance.now();
    if (wait <= 0) this.#step(entry);
    else entry.timer = setTimeout(() => this.#step(entry), wait).unref();
  }

  #step(entry: Entry): void {
    const wait = entry.savedAt + BETWEEN_WRITES_MILLISECONDS - performance.now();
    if (wait > 0) {
      this.#callFollowers(entry);
      entry.saving ??= setTimeout(() => {
        entry.saving = null;
        this.#step(entry);
      }, wait).unref();
      return;
    }
    try {
      this.#tell(entry);
    } catch (error) {
      this.#warn(error); // the next step is written again
    }
  }

  #warn(error: unknown): void {
    this.#context.logger.warn(`A job could not be recorded: ${placeOf(error)}`);
  }

  #callFollowers(entry: Entry): void {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    entry.toldAt = performance.now();
    for (const call of entry.followers) call();
  }

  #tell(entry: Entry): void {
    this.#callFollowers(entry);
    if (entry.saving !== null) clearTimeout(entry.saving);
    entry.saving = null;
    entry.savedAt = performance.now();
    this.#table.save(entry);
    this.#context.events.emit({ type: 'job', job: entry.job.id });
  }

  #get(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new UnknownNameError('job', id, []);
    return entry;
  }
}

function entryOf({ job, task }: StoredJob): Entry {
  return { job, task, work: null, followers: new Set(), savedAt: 0, toldAt: 0, timer: null, saving: null };
}
