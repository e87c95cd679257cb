import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { canAsk, confirm, type Terminal } from '../../../main/cli/console.ts';

function terminal(answer: string, isTTY = true) {
  const [stdin, stderr] = [
    Object.assign(new PassThrough(), { isTTY }),
    Object.assign(new PassThrough(), { isTTY }),
  ];
  stdin.end(answer);
  return { stdin, stderr, stdout: new PassThrough(), env: {} } as unknown as Terminal & {
    stderr: PassThrough;
  };
}

describe('the confirmation before a removal', () => {
  it.each([
    ['yes\n', true],
    ['Y\n', true],
    ['no\n', false],
    ['\n', false],
    ['yes, but not now\n', false],
  ])('takes %j for %s', async (answer, expected) => {
    const asked = terminal(answer);
    expect(await confirm(asked, 'Forget this?', new AbortController().signal)).toBe(expected);
    asked.stderr.end();
    expect(await text(asked.stderr)).toContain('Forget this? [yes/no]');
  });

  it('asks only on a terminal', () => {
    expect(canAsk(terminal(''))).toBe(true);
    expect(canAsk(terminal('', false))).toBe(false);
    expect(canAsk({ ...terminal(''), stdin: undefined } as unknown as Terminal)).toBe(false);
  });
});
