/** Thrown inside only: the request's own deadline passed. */
export class DeadlinePassed {}

/**
 * Runs the work under a signal that fires with the caller's, or when the time is up; resolves no later than that
 * even if the work ignores its signal. Listeners are taken off again, because a caller's signal may live long.
 *
 * @throws DeadlinePassed when the time is up, the caller's reason when its signal fired.
 */
export async function withDeadline<Result>(
  { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DeadlinePassed()), milliseconds);
  signal.addEventListener('abort', forward, { once: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  const working = work(controller.signal);
  try {
    return await Promise.race([working, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
    // Whichever of the two lost the race may still fail, unheard.
    working.catch(() => undefined);
    stopped.catch(() => undefined);
  }
}
