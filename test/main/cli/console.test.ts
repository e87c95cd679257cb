import { Writable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { nearestNames } from '../../../main/cli/command-line.ts';
import { CommandConsole, duration, inOneLine, type Terminal } from '../../../main/cli/console.ts';
import { TimeLeft } from '../../../main/cli/progress.ts';
import { wrapLine } from '../../../main/cli/wrap-line.ts';

function consoleOf(isTTY: boolean) {
  const written = { out: '', err: '' };
  const stream = (name: keyof typeof written) => {
    const write = (chunk: Buffer, _: BufferEncoding, done: () => void) => {
      written[name] += chunk;
      done();
    };
    return Object.assign(new Writable({ write }), { isTTY });
  };
  const terminal = { stdout: stream('out'), stderr: stream('err'), env: {} } as unknown as Terminal;
  return { written, console: new CommandConsole(terminal, false) };
}

it('lets no text of a memory control the terminal', () => {
  const { written, console } = consoleOf(true);
  const said = 'a\u001b]0;title\u0007b\u001b[2Jc\u009b1Ad\u202ee\rf\tg';
  const shown = 'a]0;titleb[2Jc1Adef\tg\n';
  console.line(said);
  console.note(said);
  expect(written).toEqual({ out: shown, err: shown });
});

it('keeps colours', () => {
  const { written, console } = consoleOf(true);
  console.line('\u001b[1mCities\u001b[22m');
  expect(written.out).toBe('\u001b[1mCities\u001b[22m\n');
});

it('breaks lines between words, and indents what continues a list', () => {
  expect(wrapLine('Nothing to break.', 40)).toEqual(['Nothing to break.']);
  expect(wrapLine('  1. one two', 9)).toEqual(['  1. one', 'two']);
  expect(wrapLine('  1. one two three four five', 20)).toEqual(['  1. one two three', '     four five']);
  expect(wrapLine('key  one two three four', 15)).toEqual(['key  one two', '     three four']);
  expect(wrapLine('a verylongwordwithoutspaces b', 10)).toEqual(['a', 'verylongwordwithoutspaces', 'b']);
  expect(wrapLine('\u001b[1mbold words\u001b[22m more', 10)).toEqual([
    '\u001b[1mbold words\u001b[22m',
    'more',
  ]);
  expect(wrapLine('a line of a pipe '.repeat(20), Number.POSITIVE_INFINITY)).toHaveLength(1);
  expect(inOneLine('one\n two three', 9)).toBe('one two…');
});

it('rounds durations up', () => {
  expect([59.2, 90, 91, 3_541, 5_401].map(duration)).toEqual(['60 s', '90 s', '2 min', '60 min', '1.5 h']);
});

it('shows the remaining time once it is worth something', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const left = new TimeLeft(100);
    expect(left.words(0, undefined)).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(left.words(10, undefined)).toEqual([]);
    vi.advanceTimersByTime(8_000);
    expect(left.words(50, undefined)).toEqual(['about 10 s left']);
    expect(left.words(20, null)).toEqual([]);
    expect(left.words(20, Number.NaN)).toEqual([]);
    vi.advanceTimersByTime(9_000);
    expect(left.words(99, undefined)).toEqual([]);
    const given = new TimeLeft(100);
    vi.advanceTimersByTime(10_000);
    expect(given.words(20, 118)).toEqual(['about 2 min left']);
    // One slow part does not double the estimate.
    expect(given.words(21, 240)).toEqual(['about 3 min left']);
  } finally {
    vi.useRealTimers();
  }
});

it('finds the names that are meant', () => {
  const options = ['--scope', '--path', '--json', '--embedder', '--embedder-dimension'];
  expect(nearestNames('--nope', options)).toEqual([]);
  expect(nearestNames('--scpe', options)).toEqual(['--scope']);
  expect(nearestNames('--pahtt', options)).toEqual([]);
  expect(nearestNames('--embed', options)).toEqual(['--embedder', '--embedder-dimension']);
  expect(nearestNames('--embeder', options)).toEqual(['--embedder']);
  expect(nearestNames('haert', ['heart', 'hearth'])).toEqual(['heart']);
});
