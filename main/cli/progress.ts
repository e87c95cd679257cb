import { type Options, Presets, SingleBar } from 'cli-progress';
import type { CommandConsole } from './console.ts';

interface Progress {
  /** `done` counts up to the total given at the start; `note` is shown behind the bar. */
  update(done: number, note: string): void;
  stop(): void;
}

const SECONDS_BETWEEN_LINES = 5;

/** Shows a bar on a terminal, else prints a line at intervals; both on standard error. */
export function startProgress(console: CommandConsole, what: string, total: number): Progress {
  const { stderr } = console.terminal;
  return stderr.isTTY === true ? bar(stderr, what, total) : lines(console, what, total);
}

function bar(stream: NodeJS.WritableStream, what: string, total: number): Progress {
  const options: Options = {
    format: `${what} {bar} {percentage}% | {eta_formatted} to go | {note}`,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 20,
  };
  const single = new SingleBar(options, Presets.shades_classic);
  single.start(Math.max(1, total), 0, { note: '' });
  return { update: (done, note) => single.update(done, { note }), stop: () => single.stop() };
}

function lines(console: CommandConsole, what: string, total: number): Progress {
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
