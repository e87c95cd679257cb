import type { Mnemis } from '../../src/engine.ts';
import { MnemisError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import type { AppEvents } from './app-events.ts';
import type { UsageLog } from './usage-log.ts';

export interface ReadingOptions {
  readonly engine: Mnemis;
  readonly events: AppEvents;
  readonly usage: UsageLog;
  /** Under which the reading model's use is recorded. */
  readonly model: string;
  readonly logger: Logger;
  /** Pause after the last exchange. Default: two seconds. */
  readonly quietMilliseconds?: number | undefined;
}

const QUIET_MILLISECONDS = 2_000;

/** Reads remembered exchanges for facts in the background, after a pause: one scope at a time, never two at once. */
export class BackgroundReading {
  readonly #options: ReadingOptions;
  readonly #waiting = new Set<string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  /** Scopes that are read or wait for it. */
  #reads = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#timer !== null || this.#reads > 0;
  }

  /** Has the scope read after the pause. */
  note(scope: string): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.add(scope);
    void this.#report(scope, false);
    this.#clear();
    this.#timer = setTimeout(
      () => void this.settled(),
      this.#options.quietMilliseconds ?? QUIET_MILLISECONDS,
    );
  }

  /** Resolves when everything that was noted has been read. For tests, and before a process ends. */
  async settled(): Promise<void> {
    this.#clear();
    this.#begin();
    await this.#running;
  }

  /** Reads the rest if no model is needed for it; else it waits for the next opening. */
  async close(): Promise<void> {
    this.#clear();
    const isLocal = this.#options.engine.describeIngestion().tier === 'local';
    if (isLocal) this.#begin();
    else this.#stop.abort();
    await this.#running;
    this.#stop.abort();
  }

  #begin(): void {
    const scopes = [...this.#waiting];
    this.#waiting.clear();
    this.#reads += scopes.length;
    for (const scope of scopes)
      this.#running = this.#running
        .then(() => this.#read(scope))
        .finally(() => {
          this.#reads -= 1;
        });
  }

  async #read(scope: string): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    const { engine, usage, model, logger } = this.#options;
    try {
      await this.#report(scope, true);
      const begun = performance.now();
      const report = await engine.scope(scope).flush({ signal });
      usage.record({ model, purpose: 'reading', usage: report.usage });
      const milliseconds = performance.now() - begun;
      usage.addReading({ model: report.usage.calls > 0 ? model : null, usage: report.usage, milliseconds });
    } catch (error) {
      const code = MnemisError.isInstance(error) ? error.code : 'internal';
      if (!signal.aborted)
        logger.warn(`A conversation could not be read for facts (${code}); its turns are stored and wait.`);
    } finally {
      await this.#report(scope, false);
    }
  }

  async #report(scope: string, isReading: boolean): Promise<void> {
    const { engine, events } = this.#options;
    try {
      const { enrichment } = await engine.scope(scope).stats();
      events.emit({ type: 'reading', scope, pending: enrichment.pending, isReading });
    } catch {
      // Only a figure; what prevents it is reported by the reading itself.
    }
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
