import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filledLab } from './fake-terminal.ts';

const lab = await filledLab();

describe('mnemis copy', () => {
  it('copies a memory to a file of another kind, which answers as before', async () => {
    const made = await lab.run('copy', 'memory.db', 'new/copy.sqlite');
    expect(made).toMatchObject({ exitCode: 0, err: '' });
    expect(made.out).toMatch(
      /^Copied 1 scope from .*memory\.db to .*copy\.sqlite in [\d.]+ s: \d+ rows and \d+ relationships\. Every one was read again and equals the source, which is unchanged\.\n$/,
    );
    expect((await lab.run('ask', 'Where did Ana move?', '--path', 'new/copy.sqlite')).out).toContain(
      'Lisbon',
    );
    const compared = await lab.run('copy', 'memory.db', 'new/copy.sqlite', '--verify-only', '--json');
    expect(compared.exitCode).toBe(0);
    expect(compared.json()).toMatchObject({
      from: join(lab.folder, 'memory.db'),
      to: join(lab.folder, 'new/copy.sqlite'),
      ...{ equal: true, unfinished: false, differences: [] },
    });
    const again = await lab.run('copy', 'memory.db', 'new/copy.sqlite');
    expect(again).toMatchObject({ exitCode: 1, out: '' });
    expect(again.err).toContain('already holds a memory');
  });

  it('exits with 1 where the two differ, and says in what', async () => {
    expect((await lab.run('copy', 'memory.db', 'other.sqlite', '--json')).json()).toMatchObject({
      removed: 0,
    });
    await lab.run('add', 'I moved to Rome.', '--speaker', 'Ana', '--path', 'other.sqlite');
    const compared = await lab.run('copy', 'memory.db', 'other.sqlite', '--verify-only');
    expect(compared.exitCode).toBe(1);
    expect(compared.out).toMatch(
      /^.*other\.sqlite differs from .*memory\.db:\n {2}scope "default", episode: 1 extra\n/,
    );
  });

  it('keeps what is copied when it is interrupted; the rest of the commands refuse it until it is complete', async () => {
    const listening = lab.run('copy', 'memory.db', 'part.sqlite');
    const interrupt = setInterval(() => lab.signals.emit('SIGINT'), 5);
    const stopped = await listening;
    clearInterval(interrupt);
    expect(stopped.exitCode).toBe(130);
    expect(stopped.err).toMatch(/mnemis: Cancelled; .*run the same copy again to continue\.\n$/);
    expect((await lab.run('search', 'cat', '--path', 'part.sqlite')).err).toContain('is an unfinished copy');
    const verified = await lab.run('verify', '--path', 'part.sqlite');
    expect(verified.out).toContain('the memory is an unfinished copy of another one');
    expect((await lab.run('copy', 'memory.db', 'part.sqlite', '--verify-only')).exitCode).toBe(1);
    const completed = await lab.run('copy', 'memory.db', 'part.sqlite');
    expect(completed.exitCode).toBe(0);
    expect(completed.out).toMatch(/\(\d+ were there already\)/);
    expect((await lab.run('search', 'cat', '--path', 'part.sqlite')).out).toContain('Miso');
  });

  it('creates nothing without a source, nor where the two are the same', async () => {
    const missing = await lab.run('copy', 'none.db', 'x.db', '--json');
    expect(missing.json()).toMatchObject({ error: { code: 'memory-missing' } });
    expect((await lab.run('copy', 'memory.db', 'none.db', '--verify-only')).exitCode).toBe(1);
    expect((await lab.run('copy', 'memory.db', './memory.db')).exitCode).toBe(2);
    expect((await lab.run('copy', 'memory.db')).exitCode).toBe(2);
    expect((await lab.run('copy', ':memory:', 'x.db')).exitCode).toBe(2);
    expect(existsSync(join(lab.folder, 'x.db'))).toBe(false);
    expect(readdirSync(lab.folder).filter((name) => name.startsWith('none'))).toEqual([]);
  });

  it('never prints the password of a URL', async () => {
    for (const url of ['postgres://nora:hunter2@127.0.0.1:1/x', 'mysql://nora:hunter2@127.0.0.1:1/x'])
      for (const argv of [
        ['memory.db', url],
        [url, 'y.db'],
        [url, url],
      ]) {
        const run = await lab.run('copy', ...argv, '--json');
        expect(run.exitCode).toBeGreaterThan(0);
        expect(run.out + run.err).not.toContain('hunter2');
      }
    expect(readdirSync(lab.folder).filter((name) => name.includes(':'))).toEqual([]);
  });
});
