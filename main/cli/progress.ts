import { type Options, Presets, SingleBar } from 'cli-progress';
import { Pace, Rate } from '../assistant/jobs/pace.ts';
import { type CommandConsole, duration } from './console.ts';

interface Progress {
  /**
   * `done` counts up to the total given at the start; `note` is shown behind the bar. `secondsToGo`: null if they are
   * not known; default: estimated from the speed so far, for work that takes the same time for each part.
   */
  update(done: number, note: string, secondsToGo?: number | null): void;
  stop(): void;
}

const SECONDS_BETWEEN_LINES = 5;

/** Shows a bar on a terminal, else prints a line at intervals; both on standard error. */
export function startProgress(console: CommandConsole, what: string, total: number): Progress {
  const { stderr } = console.terminal;
  const shown = stderr.isTTY === true ? bar(stderr, what, total) : lines(console, what, total);
  const left = new TimeLeft(total);
  return {
    update: (done, note, secondsToGo) =>
      shown.update(done, [note, ...left.words(done, secondsToGo)].join(', ')),
    stop: () => shown.stop(),
  };
}

interface ShownRun<Event> {
  readonly console: CommandConsole;
  readonly what: string;
  /** Updates the bar, whose total is 100. */
  readonly show: (event: Exclude<Event, { readonly type: 'done' }>, progress: Progress) => void;
}

/** The last event of a run, whose progress is shown until then. */
export async function lastEvent<Event extends { readonly type: string }>(
  events: AsyncIterable<Event>,
  { console, what, show }: ShownRun<Event>,
): Promise<Extract<Event, { readonly type: 'done' }>> {
  const progress = startProgress(console, what, 100);
  let last: Event | undefined;
  try {
    for await (const event of events) {
      last = event;
      if (event.type !== 'done') show(event as Exclude<Event, { readonly type: 'done' }>, progress);
    }
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
  }
  return last as Extract<Event, { readonly type: 'done' }>; // the stream ends with it or throws
}

/** An estimate in the first seconds is a guess, and one of the last seconds is of no use. */
const SECONDS_BEFORE_ESTIMATE = 5;
const FEWEST_SECONDS = 5;

/** The remaining time in words; none until it is worth something. */
export class TimeLeft {
  readonly #total: number;
  readonly #started = performance.now();
  readonly #rate = new Rate();
  readonly #pace = new Pace();

  constructor(total: number) {
    this.#total = total;
  }

  words(done: number, secondsToGo: number | null | undefined): string[] {
    const seconds = this.#smoothed(done, secondsToGo);
    const isEarly = performance.now() - this.#started < SECONDS_BEFORE_ESTIMATE * 1000;
    if (seconds === null || isEarly || seconds <= FEWEST_SECONDS) return [];
    return [`about ${duration(5 * Math.ceil(seconds / 5))} left`];
  }

  #smoothed(done: number, secondsToGo: number | null | undefined): number | null {
    if (secondsToGo === undefined) return this.#rate.secondsToGo(done, this.#total);
    return secondsToGo === null || !Number.isFinite(secondsToGo) ? null : this.#pace.next(secondsToGo);
  }
}

type Shown = Pick<Progress, 'update' | 'stop'>;

function bar(stream: NodeJS.WritableStream, what: string, total: number): Shown {
  const options: Options = {
    format: `${what} {bar} {percentage}% | {note}`,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 20,
  };
  const single = new SingleBar(options, Presets.shades_classic);
  single.start(Math.max(1, total), 0, { note: '' });
  return { update: (done, note) => single.update(done, { note }), stop: () => single.stop() };
}

function lines(console: CommandConsole, what: string, total: number): Shown {
  let last = performance.now();
  return {
    update(done, note) {
      if (performance.now() - last < SECONDS_BETWEEN_LINES * 1000) return;
      last = performance.now();
      console.note(`${what}: ${Math.floor((100 * done) / Math.max(1, total))}%, ${note}`);
    },
    stop: () => undefined,
  };
}
