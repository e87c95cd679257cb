import type { Logger } from '../../src/engine/engine-context.ts';
import { MnemisError } from '../../src/errors/index.ts';
import type { MemoryClient } from '../contract.ts';

export interface QuietReaderOptions {
  /** How long nothing must have been added before what waits is read for facts. */
  readonly quietMilliseconds: number;
  /** After which it is read even while more comes in. */
  readonly latestMilliseconds: number;
  readonly logger: Logger;
}

export const READING_PAUSE = Object.freeze({ quietMilliseconds: 60_000, latestMilliseconds: 600_000 });

/**
 * Reads added turns for facts once whoever adds them pauses (docs/design.md, "Consolidation"): nobody else ends a
 * session of an app.
 */
export class QuietReader {
  readonly #client: MemoryClient;
  readonly #options: QuietReaderOptions;
  readonly #waiting = new Set<string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #since = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(client: MemoryClient, options: QuietReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The same client, whose adds are noted. */
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

  /** Stops waiting. With `last` what waits is read before it resolves. */
  async close({ last }: { readonly last: boolean }): Promise<void> {
    this.#clear();
    if (!last) this.#stop.abort();
    await this.#reading;
    if (last) await this.#read();
    this.#stop.abort();
  }

  #note(scope: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.size === 0) this.#since = Date.now();
    this.#waiting.add(scope);
    this.#clear();
    const { quietMilliseconds, latestMilliseconds } = this.#options;
    const left = this.#since + latestMilliseconds - Date.now();
    this.#timer = setTimeout(
      () => {
        this.#reading = this.#reading.then(() => this.#read());
      },
      Math.max(0, Math.min(quietMilliseconds, left)),
    );
  }

  async #read(): Promise<void> {
    const scopes = [...this.#waiting];
    this.#waiting.clear();
    for (const scope of scopes)
      try {
        await this.#client.flush({ scope }, { signal: this.#stop.signal });
      } catch (error) {
        const code = MnemisError.isInstance(error) ? error.code : 'internal';
        this.#options.logger.warn(`What was added could not be read for facts (${code}); it waits.`);
      }
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
