import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { CommandConsole, type Terminal } from '../../../main/cli/console.ts';

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
