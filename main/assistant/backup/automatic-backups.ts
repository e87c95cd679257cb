import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { hasFiles } from '../../beside-memory.ts';
import type { AppContext } from '../app-context.ts';
import type { StoredJob } from '../jobs/job-table.ts';
import { hasEnded } from '../jobs/job-task.ts';
import type { RunningJobs } from '../jobs/running-jobs.ts';
import { readPreferences } from '../store/read-preferences.ts';
import { BackupFolder } from './backup-folder.ts';

const HOUR = 3_600_000;
const PERIODS = { daily: 24 * HOUR, weekly: 7 * 24 * HOUR } as const;
/** After a failure. */
const BETWEEN_TRIES = 6 * HOUR;
const [FIRST_CHECK, BETWEEN_CHECKS] = [60_000, 600_000];

/** Makes a backup once a day or a week, at a moment in which nothing else is done. */
export class AutomaticBackups {
  readonly #context: AppContext;
  readonly #runningJobs: RunningJobs;
  #timer: NodeJS.Timeout | null = null;

  constructor(context: AppContext, runningJobs: RunningJobs) {
    this.#context = context;
    this.#runningJobs = runningJobs;
  }

  begin(wait = FIRST_CHECK): void {
    this.#timer = setTimeout(() => {
      void this.check()
        .catch(() => this.#context.logger.warn('An automatic backup could not be begun.'))
        .finally(() => this.#timer !== null && this.begin(BETWEEN_CHECKS));
    }, wait).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Starts a backup if one is due. @returns whether it did. */
  async check(): Promise<boolean> {
    const { store, clock, running, engine, config } = this.#context;
    const { every } = readPreferences(store).backups;
    if (!hasFiles(config.path) || every === 'off' || running.conversations.length > 0) return false;
    const jobs = this.#runningJobs.stored();
    if (jobs.some(({ job }) => job.state === 'running' || job.state === 'waiting')) return false;
    if ((await engine.scopes()).length === 0) return false;
    const own = jobs.filter(({ task }) => task.kind === 'backup' && task.isAutomatic);
    const now = clock();
    if (own.some(({ job }) => job.state === 'failed' && now - job.startedAt < BETWEEN_TRIES)) return false;
    const folder = new BackupFolder(this.#context);
    const [last] = await folder.automatic();
    if (last !== undefined && now - Date.parse(last.createdAt) < PERIODS[every]) return false;
    await this.#dismiss(own);
    const path = folder.next({ isAutomatic: true });
    const about = { id: randomUUID(), name: basename(path), scope: null };
    this.#runningJobs.start(about, { kind: 'backup', folder: path, isAutomatic: true });
    return true;
  }

  /** One automatic backup is listed, not one for each day. */
  async #dismiss(jobs: readonly StoredJob[]): Promise<void> {
    for (const { job } of jobs) if (hasEnded(job)) await this.#runningJobs.control(job.id, 'dismiss');
  }
}
