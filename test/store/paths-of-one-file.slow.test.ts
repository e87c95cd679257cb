import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { MnemisError } from '../../src/errors/index.ts';
import { DatabaseLock } from '../../src/store/database-lock.ts';
import { listen, programArguments } from '../child-program.ts';

const HOLD_OPEN = join(import.meta.dirname, '../fixtures/hold-open.ts');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mnemis-paths-'));
  folders.push(made);
  return made;
}

async function addOne(path: string): Promise<void> {
  await using engine = await Mnemis.open({ path });
  await engine.scope('a').add('I moved to Ghent.');
}

async function turnsIn(path: string): Promise<number> {
  await using engine = await Mnemis.open({ path });
  return (await engine.scope('a').stats()).episode;
}

const codeOf = (job: Promise<unknown>) =>
  job.then(
    () => 'opened',
    (error) => (MnemisError.isInstance(error) ? error.code : `untyped: ${error}`),
  );

describe.each(['db', 'sqlite'])('A file m.%s', (ending) => {
  it.each<[string, (at: string, target: string) => void]>([
    ['a link to a missing file', (at, target) => symlinkSync(target, at)],
    ['a relative link', (at) => symlinkSync(`../big/m.${ending}`, at)],
    [
      'a chain of links',
      (at, target) => {
        symlinkSync(target, `${at}.second`);
        symlinkSync(`${at}.second`, `${at}.first`);
        symlinkSync(`${at}.first`, at);
      },
    ],
  ])('is one memory through %s', async (_, make) => {
    const top = folder();
    for (const name of ['big', 'home']) mkdirSync(join(top, name));
    const [target, at] = [join(top, 'big', `m.${ending}`), join(top, 'home', `m.${ending}`)];
    make(at, target);
    await addOne(at);
    expect([await turnsIn(at), await turnsIn(target)]).toEqual([1, 1]);
    expect(readdirSync(join(top, 'home')).filter((name) => !name.startsWith(`m.${ending}`))).toEqual([]);
    expect(existsSync(`${at}.wal`) || existsSync(`${at}.seal`)).toBe(false);
    await using engine = await Mnemis.open({ path: at });
    await using same = await Mnemis.open({ path: target });
    await same.scope('a').add('I like Ghent.');
    expect((await engine.scope('a').stats()).episode).toBe(2);
  });

  it('is one memory in a linked folder, and refused in a circle of links', async () => {
    const top = folder();
    mkdirSync(join(top, 'big'));
    symlinkSync(join(top, 'big'), join(top, 'home'));
    symlinkSync(`missing.${ending}`, join(top, 'big', `m.${ending}`));
    await addOne(join(top, 'home', `m.${ending}`));
    expect(await turnsIn(join(top, 'big', `missing.${ending}`))).toBe(1);
    symlinkSync(`round.${ending}`, join(top, `round.${ending}`));
    expect(await codeOf(Mnemis.open({ path: join(top, `round.${ending}`) }))).toBe('file-unreadable');
  });

  it('is refused while it has two names', async () => {
    const path = join(folder(), `a.${ending}`);
    await addOne(path);
    const second = path.replace('/a.', '/b.');
    linkSync(path, second);
    for (const name of [path, second])
      expect(await codeOf(Mnemis.open({ path: name }))).toBe('file-unreadable');
    rmSync(second);
    expect(await turnsIn(path)).toBe(1);
  });

  it('is open in one of two processes that open it at once by its name and by a link', async () => {
    const top = folder();
    const [path, link] = [join(top, `m.${ending}`), join(top, 'link')];
    symlinkSync(path, link); // its target is still to be created
    const children = [path, link].map((name) =>
      spawn(process.execPath, [...programArguments(HOLD_OPEN), name], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    const heard = children.map(listen);
    try {
      await Promise.race(children.map((child) => once(child, 'close'))); // the second is refused
      await expect.poll(() => heard.flatMap(({ lines }) => lines())).toEqual(['open']);
      expect(heard.map(({ errors }) => errors()).join('')).toContain('database-locked');
      for (const name of [path, link])
        expect(await codeOf(Mnemis.open({ path: name }))).toBe('database-locked');
      linkSync(path, join(top, `second.${ending}`));
      expect(await codeOf(Mnemis.open({ path: join(top, `second.${ending}`) }))).toBe('file-unreadable');
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  });

  it('that is empty or missing beside its indexes is lost, not new', async () => {
    const path = join(folder(), `m.${ending}`);
    await addOne(path);
    for (const beside of ['.wal', '.seal', '-wal']) rmSync(path + beside, { force: true });
    expect(readdirSync(`${path}.indexes`).length).toBeGreaterThan(0);
    truncateSync(path);
    expect(await codeOf(Mnemis.open({ path }))).toBe('database-corrupt');
    rmSync(path);
    expect(await codeOf(Mnemis.open({ path }))).toBe('database-corrupt');
    rmSync(`${path}.indexes`, { recursive: true });
    await addOne(path);
    expect(await turnsIn(path)).toBe(1);
  });

  const here = { host: hostname(), boot: 'another', pidNamespace: '', started: '' };
  it.each([
    ['lock', JSON.stringify({ ...here, pid: 1 })],
    ['lock', 'garbage'],
    ['owner.lock', JSON.stringify({ ...here, pid: 1 })],
    ['owner.lock', ''],
    ['restoring.owner.lock', JSON.stringify({ ...here, pid: 1 })],
  ])('opens beside the %s of a killed process', async (lock, content) => {
    const path = join(folder(), `m.${ending}`);
    writeFileSync(`${path}.${lock}`, content);
    await addOne(path);
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('lock'))).toEqual([]);
  });

  it('respects the lock of a former version whose process runs', async () => {
    const path = join(folder(), `m.${ending}`);
    const former = await DatabaseLock.acquire(path);
    expect(await codeOf(Mnemis.open({ path }))).toBe('database-locked');
    await former.release();
    await addOne(path);
  });

  it('and all beside it are private, whatever the umask is', async () => {
    const before = process.umask(0);
    try {
      const top = join(folder(), 'new', 'folder');
      const path = join(top, `m.${ending}`);
      const engine = await Mnemis.open({ path });
      const scope = engine.scope('a');
      await scope.add('I moved to Ghent.');
      await scope.flush();
      await engine.backup(join(top, 'backup'));
      await scope.exportTo(join(top, 'a.jsonl'));
      expect(publicIn(top)).toEqual([]);
      await engine.close();
      expect(publicIn(join(top, '..'))).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  it.each(['a\0b', 'x'.repeat(5000), `~nobody/m`, 'http://host/m', 'sqlite:m'])(
    'is not made of an odd path (%#)',
    async (name) => {
      expect(await codeOf(Mnemis.open({ path: `${name}.${ending}` }))).toMatch(/^[a-z-]+$/);
      expect(
        await codeOf(Mnemis.open({ path: join(folder(), `${name.replaceAll('/', '')}.${ending}`) })),
      ).not.toMatch(/untyped/);
    },
  );
});

function publicIn(top: string): string[] {
  return readdirSync(top, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(top, name)).mode & 0o077) !== 0,
  );
}
