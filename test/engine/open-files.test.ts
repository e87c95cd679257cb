import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../child-program.ts';
import { contents, freshPath, open, turn } from './memory-fixture.ts';

const HOLD_OPEN = join(import.meta.dirname, '../fixtures/hold-open.ts');

/** A process of its own that has the file open. */
async function heldElsewhere(path: string) {
  const child = spawn(process.execPath, [...programArguments(HOLD_OPEN), path]);
  await once(child.stdout, 'data');
  const closed = once(child, 'close');
  const end = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  return { pid: child.pid, end };
}

describe.each(['.db', '.sqlite'])('a file (%s) that this process opens twice', (ending) => {
  it('is one memory until the last close, by whatever name and also at once', async () => {
    const path = freshPath(ending);
    const [one, two] = await Promise.all([open(path), open(relative(process.cwd(), path))]);
    await one.scope('a').add(turn('kiwi'));
    expect(contents(await two.scope('a').search('kiwi'))).toEqual(['kiwi']);
    await one.close();
    await one.close();
    expect(() => one.scope('a')).toThrow(expect.objectContaining({ code: 'store-closed' }));
    await two.scope('a').add(turn('melon'));
    const [, three] = await Promise.all([two.close(), open(path)]);
    expect((await three.scope('a').stats()).episode).toBe(2);
    expect(existsSync(`${path}.owner.lock`)).toBe(true);
    await three.close();
    expect(existsSync(`${path}.owner.lock`)).toBe(false);
  });

  it('is refused with other options, which the error names', async () => {
    const path = freshPath(ending);
    await using _ = await open(path, { automatic: false });
    await expect(open(path, { redactSecrets: false })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('other options (automatic, redactSecrets)'),
    });
    await (await open(path, { automatic: false, redactSecrets: true })).close();
  });
});

describe('a file that another process has open', () => {
  it('is opened once that process ends, by one that waits', async () => {
    const path = freshPath();
    const holder = await heldElsewhere(path);
    await expect(open(path)).rejects.toMatchObject({
      code: 'database-locked',
      holder: `the process with pid ${holder.pid}`,
      message: expect.stringContaining('Mnemis.open({ path, wait: 10_000 })'),
    });
    await expect(open(path, { wait: 1 })).rejects.toThrow(/still after [\d.]+ s; nothing was changed/);
    const opening = open(path, { wait: 60_000 });
    await holder.end();
    await (await opening).close();
  });

  it('is waited for until the signal fires', async () => {
    const path = freshPath();
    const holder = await heldElsewhere(path);
    const controller = new AbortController();
    const opening = open(path, { wait: 60_000, signal: controller.signal });
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
    await holder.end();
    await (await open(path)).close();
  });
});
