/**
 * Yields the events that a running job reports, and throws its failure once the events are consumed. If the consumer
 * stops early, calls `stop` to end the job and waits for it.
 */
export async function* follow<Event>(
  job: (emit: (event: Event) => void) => Promise<void>,
  stop: () => void,
): AsyncGenerator<Event> {
  const events: Event[] = [];
  let wake = () => {};
  let isDone = false;
  const running = job((event) => {
    events.push(event);
    wake();
  }).finally(() => {
    isDone = true;
    wake();
  });
  running.catch(() => undefined); // thrown below
  let isTakenToTheEnd = false;
  try {
    for (;;) {
      const next = events.shift();
      if (next !== undefined) yield next;
      else if (isDone) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    isTakenToTheEnd = true;
  } finally {
    if (!isDone) stop();
    // A consumer that stopped early expects the job to be stopped: ignore that failure.
    await (isTakenToTheEnd ? running : running.catch(() => undefined));
  }
}
