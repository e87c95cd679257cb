/**
 * The events that a job tells while it runs, as they come; its failure is thrown when they are taken. Whoever stops
 * taking them early gives `stop` the chance to end the job, and waits for that.
 */
export async function* follow<Event>(
  job: (tell: (event: Event) => void) => Promise<void>,
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
  running.catch(() => undefined); // it is thrown below
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
    // Whoever leaves early does not want to hear that the job was stopped.
    await (isTakenToTheEnd ? running : running.catch(() => undefined));
  }
}
