import { MnemisError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import { BackgroundJobs } from '../../src/util/serial-queue.ts';
import type { MemoryClient } from '../contract.ts';

export interface IdleFlusherOptions {
  /** Pause after the last turn, before waiting turns are read for facts. */
  readonly quietMilliseconds: number;
  /** The longest wait, after which turns are read even while more arrive. */
  readonly latestMilliseconds: number;
  readonly logger: Logger;
}

export const READING_PAUSE = Object.freeze({ quietMilliseconds: 60_000, latestMilliseconds: 600_000 });

/** Reads added turns for facts after a pause, because apps do not end their sessions. */
export class IdleFlusher {
  readonly #client: MemoryClient;
  readonly #options: IdleFlusherOptions;
  readonly #waiting = new Set<string>();
  readonly #stop = new AbortController();
  readonly #flushes: BackgroundJobs;
  #timer: NodeJS.Timeout | null = null;
  #since = 0;

  constructor(client: MemoryClient, options: IdleFlusherOptions) {
    this.#client = client;
    this.#options = options;
    this.#flushes = new BackgroundJobs(1, (error) => this.#warn(error));
  }

  /** Returns the client with `add` watched. */
  get client(): MemoryClient {
    return {
      ...this.#client,
      add: async (input, options) => {
        const result = await this.#client.add(input, options);
        if (result.pending > 0) this.#note(input.scope);
        return result;
      },
    };
  }

  /** Reads what waits now. @returns whether anything is being read. */
  hurry(): boolean {
    this.#clear();
    this.#begin();
    return this.#flushes.isBusy;
  }

  /** Stops the timers. With `last`, reads waiting turns before it resolves. */
  async close({ last }: { readonly last: boolean }): Promise<void> {
    this.#clear();
    if (!last) this.#stop.abort();
    if (last) this.#begin();
    await this.#flushes.settled();
    this.#stop.abort();
  }

  #note(scope: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.size === 0) this.#since = Date.now();
    this.#waiting.add(scope);
    this.#clear();
    const { quietMilliseconds, latestMilliseconds } = this.#options;
    const left = this.#since + latestMilliseconds - Date.now();
    const wait = Math.max(0, Math.min(quietMilliseconds, left));
    this.#timer = setTimeout(() => this.#begin(), wait);
  }

  /** Flushes each scope separately, so that a failure does not block the others. */
  #begin(): void {
    for (const scope of this.#waiting)
      void this.#flushes.begin(async () => {
        await this.#client.flush({ scope }, { signal: this.#stop.signal });
      });
    this.#waiting.clear();
  }

  #warn(error: unknown): void {
    const code = MnemisError.isInstance(error) ? error.code : 'internal';
    this.#options.logger.warn(`Added turns could not be read for facts (${code}); they wait.`);
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
