/**
 * Yields the events that a running job reports, and throws its failure once the events are consumed. The job's signal
 * fires with `given`, and if the consumer stops early, which then waits for the job to end. With `leaving`, a consumer
 * that stops early or whose signal fires leaves a job that `goesOn` as it is.
 */
export async function* follow<Event>(
  job: (emit: (event: Event) => void, signal: AbortSignal) => Promise<void>,
  given?: AbortSignal,
  leaving?: { readonly signal: AbortSignal | undefined; readonly goesOn: () => boolean },
): AsyncGenerator<Event> {
  const stop = new AbortController();
  const events: Event[] = [];
  let wake = () => {};
  let isDone = false;
  const emit = (event: Event) => {
    events.push(event);
    wake();
  };
  const running = job(emit, AbortSignal.any([stop.signal, ...(given ? [given] : [])])).finally(() => {
    isDone = true;
    wake();
  });
  running.catch(() => undefined); // thrown below
  let isTakenToTheEnd = false;
  const isLeft = () => leaving?.signal?.aborted === true;
  const leave = () => wake();
  leaving?.signal?.addEventListener('abort', leave);
  try {
    for (;;) {
      const next = events.shift();
      if (next !== undefined) yield next;
      else if (isDone) break;
      else if (isLeft()) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    isTakenToTheEnd = true;
  } finally {
    leaving?.signal?.removeEventListener('abort', leave);
    if (isDone || !leaving?.goesOn()) {
      if (!isDone) stop.abort();
      // A consumer that stopped early expects the job to be stopped: ignore that failure.
      await (isTakenToTheEnd ? running : running.catch(() => undefined));
    }
  }
}
