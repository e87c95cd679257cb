import { CancelledError } from '../../src/errors/index.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { Embedder, EmbedOptions } from '../../src/inference/embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';

/** Embeds by hashing; a question with `wait` in it takes until its signal fires, or until all are let go on. */
export class WaitingEmbedder implements Embedder {
  readonly #inner = new HashingEmbedder({ analyze, dimension: 64 });
  readonly fingerprint = this.#inner.fingerprint;
  readonly #waiting = new Set<() => void>();
  readonly #watchers = new Set<() => void>();
  /** Questions whose signal fired while they waited. */
  cancelled = 0;

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (options.as === 'query' && texts.some((text) => /\bwait\b/.test(text)))
      await this.#wait(options.signal);
    return this.#inner.embed(texts, options);
  }

  /** Resolves once so many questions wait. */
  async untilWaiting(count: number): Promise<void> {
    while (this.#waiting.size < count) await new Promise<void>((resolve) => this.#watchers.add(resolve));
  }

  letGo(): void {
    for (const goOn of this.#waiting) goOn();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(goOn);
        signal?.removeEventListener('abort', stop);
      };
      const goOn = () => {
        end();
        resolve();
      };
      const stop = () => {
        end();
        this.cancelled++;
        reject(new CancelledError('nothing was embedded', signal?.reason));
      };
      this.#waiting.add(goOn);
      signal?.addEventListener('abort', stop, { once: true });
      for (const watcher of this.#watchers) watcher();
      this.#watchers.clear();
    });
  }
}
