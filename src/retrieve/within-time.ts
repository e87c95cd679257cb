import { CancelledError, RouteLateError } from '../errors/index.ts';

export interface TimeSettings {
  readonly signal?: AbortSignal | undefined;
  /** Time limit, from now; Infinity for no limit. */
  readonly milliseconds?: number | undefined;
}

/**
 * Runs a job within its time limit, so that a model call that does not return is aborted. The job's signal fires on a
 * cancel and on the limit.
 *
 * @throws CancelledError when the caller's signal fires, RouteLateError when the time is up, and what the job throws.
 */
export async function withinTime<Result>(
  job: (signal: AbortSignal) => Promise<Result>,
  { signal: caller, milliseconds = Number.POSITIVE_INFINITY }: TimeSettings,
): Promise<Result> {
  checkCancel(caller);
  // Not AbortSignal.any: its result is retained by the caller's signal for that signal's lifetime.
  const stop = new AbortController();
  let leave = () => {};
  let timer: NodeJS.Timeout | undefined;
  const left = new Promise<never>((_, reject) => {
    const end = (error: CancelledError | RouteLateError) => {
      reject(error);
      stop.abort(error);
    };
    leave = () => end(cancelled(caller));
    if (milliseconds !== Number.POSITIVE_INFINITY)
      timer = setTimeout(() => end(new RouteLateError(milliseconds)), milliseconds);
  });
  caller?.addEventListener('abort', leave);
  try {
    // Both race from the start: the limit may expire before the job has begun.
    return await Promise.race([job(stop.signal), left]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', leave);
  }
}

/** @throws CancelledError */
export function checkCancel(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

function cancelled(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('no results were given', signal?.reason);
}

/**
 * The time limit of one route. Synchronous loops poll it, since no timer can fire meanwhile (docs/design.md,
 * "Responsiveness").
 */
export class Limit {
  readonly milliseconds: number;
  readonly #until: number;
  readonly #signal: AbortSignal | undefined;

  /** @param milliseconds From now; Infinity for no limit. */
  constructor(milliseconds: number, signal?: AbortSignal) {
    this.milliseconds = milliseconds;
    this.#until = performance.now() + milliseconds;
    this.#signal = signal;
  }

  /** @throws RouteLateError, CancelledError */
  check(): void {
    checkCancel(this.#signal);
    if (performance.now() > this.#until) throw new RouteLateError(this.milliseconds);
  }
}
