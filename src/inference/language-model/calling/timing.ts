/** Time and chance, so that tests need not wait. */
export interface Timing {
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or at once when the signal fires. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const REAL_TIMING: Timing = { now: () => Date.now(), sleep, random: () => Math.random() };

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done, { once: true });
  });
}
