import type { OutputOf } from '../contract.ts';

type AppEvent = OutputOf<'appEvents'>;

/** What happens in the app, for every window that follows. A slow reader loses nothing: its events wait for it. */
export class AppEvents {
  readonly #readers = new Set<(event: AppEvent) => void>();

  emit(event: AppEvent): void {
    for (const reader of this.#readers) reader(event);
  }

  /** Events from now on, until the signal fires. */
  async *follow(signal?: AbortSignal): AsyncGenerator<AppEvent, void> {
    const waiting: AppEvent[] = [];
    let wake = () => {};
    const reader = (event: AppEvent) => {
      waiting.push(event);
      wake();
    };
    const stop = () => wake();
    this.#readers.add(reader);
    signal?.addEventListener('abort', stop);
    try {
      while (!signal?.aborted) {
        yield* waiting.splice(0);
        if (waiting.length > 0 || signal?.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#readers.delete(reader);
      signal?.removeEventListener('abort', stop);
    }
  }
}
