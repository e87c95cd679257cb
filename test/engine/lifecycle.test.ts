import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { contents, freshPath, open, remember, turn, using } from './memory-fixture.ts';

describe('close', () => {
  it('can be called again, and rejects later calls', async () => {
    const mnemis = await open(freshPath());
    const memory = mnemis.scope('a');
    await memory.add(turn('kiwi'));
    await Promise.all([mnemis.close(), mnemis.close()]);
    await mnemis.close();
    const closed = { code: 'store-closed' };
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      add: () => memory.add(turn('x')),
      addFacts: () => memory.addFacts([{ statement: 'x', evidence: [{ session: 'main', index: 0 }] }]),
      search: () => memory.search('kiwi'),
      ask: () => memory.ask('kiwi?'),
      stats: () => memory.stats(),
      flush: () => memory.flush(),
      exportTo: () => memory.exportTo(freshPath('.jsonl')),
      scopes: () => mnemis.scopes(),
    };
    for (const [name, use] of Object.entries(uses)) await expect(use(), name).rejects.toMatchObject(closed);
    expect(() => mnemis.scope('b')).toThrow(expect.objectContaining(closed));
  });

  it('waits for running adds: acknowledged turns are stored', async () => {
    const path = freshPath();
    const mnemis = await open(path);
    const adds = Array.from({ length: 5 }, (_, number) =>
      mnemis.scope(`s${number % 2}`).add(turn(`kiwi ${number}`)),
    );
    await mnemis.close();
    for (const add of adds) expect((await add).added).toBe(1);
    await using(path, async (again) => {
      const counts = [await again.scope('s0').stats(), await again.scope('s1').stats()];
      expect(counts.map(({ episode }) => episode)).toEqual([3, 2]);
    });
  });

  it('happens at the end of an await using', async () => {
    const path = freshPath();
    {
      await using mnemis = await open(path);
      await mnemis.scope('a').add(turn('kiwi'));
    }
    await using(path, async (again) => expect((await again.scope('a').stats()).episode).toBe(1));
  });
});

describe('open', () => {
  it('rejects an embedder of another dimension and does not change the file', async () => {
    const path = freshPath();
    const fingerprint = await using(path, async (mnemis) => {
      await mnemis.scope('a').add(turn('kiwi'));
      return mnemis.describe().fingerprint!;
    });
    const before = readFileSync(path);
    const embedder = new HashingEmbedder({ analyze, dimension: 64 });
    await expect(open(path, { embedder })).rejects.toMatchObject({
      code: 'embedding-mismatch',
      message: expect.stringMatching(
        new RegExp(
          `${fingerprint.model}@${fingerprint.dimension}.*hashing-v1@64.*Open it with openEmbedder\\(\\{ name: 'static' \\}\\).*engine\\.reembed\\(\\).*mnemis reembed$`,
        ),
      ),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    await using(path, async (again) => {
      expect(again.describe().fingerprint).toEqual(fingerprint);
      expect(contents(await again.scope('a').search('kiwi'))).toEqual(['kiwi']);
    });
  });

  it.each([{ path: '' }, { path: ':memory:', colour: 'red' }])('rejects %o', async (options) => {
    await expect(open(options.path, options)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it.each<[string, unknown, RegExp]>([
    ['embedder', 'bge-m3', /openEmbedder/],
    ['embedder', { fingerprint: { model: 'x', dimension: 0 }, embed: () => [] }, /openEmbedder/],
    ['extractor', () => [], /extract/],
    ['clock', 1_700_000_000_000, /function/],
    ['newId', 'id', /function/],
    ['logger', console.log, /warn/],
    ['bufferPoolMb', 1, /must be at least 512/],
    ['whenEmbedderDiffers', 'ask', /is none of refuse, words-only/],
  ])('says what is wrong with %s without types, and creates no file: %o', async (key, value, says) => {
    const path = freshPath();
    const failure = await open(path, { [key]: value }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'invalid-input', message: expect.stringMatching(says) });
    expect((failure as Error).message).toContain(`: ${key}: `);
    expect(existsSync(path)).toBe(false);
  });

  it('without options says that it needs them', async () => {
    const open = Mnemis.open as (options?: unknown) => Promise<unknown>;
    for (const options of [undefined, null, 'x.db'])
      await expect(open(options)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('names a lock that cannot be created in a read-only folder', async () => {
    const folder = process.platform === 'linux' ? '/sys' : '/'; // the system's, for a superuser, too
    await expect(open(`${folder}/mnemis-test.db`)).rejects.toMatchObject({
      code: 'folder-not-writable',
      message: expect.stringMatching(/is not writable \(E.*nothing was changed.*reading.*lock file/),
    });
  });

  it('says what another kind of file is, and leaves it as it is', async () => {
    for (const [content, finding] of [
      ['SQLite format 3\0 and more', 'it is not an SQLite database, or its beginning is damaged'],
      ['Notes of Monday\n', 'it is a text file, not a Mnemis database'],
      ['\0\0\0\0', 'it is another kind of file, not a Mnemis database'],
    ] as const) {
      const path = freshPath();
      writeFileSync(path, content);
      const message = expect.stringContaining(finding);
      await expect(Mnemis.open({ path })).rejects.toMatchObject({ code: 'database-corrupt', message });
      expect(readFileSync(path, 'utf8')).toBe(content);
    }
  });

  it('is the only way to an engine', () => {
    const make = () => Reflect.construct(Mnemis, [{ path: ':memory:' }]);
    expect(make).toThrow(/Mnemis\.open/);
  });

  it('stores nothing under :memory:, but works', async () => {
    for (let round = 0; round < 2; round++)
      await using(':memory:', async (mnemis) => {
        const memory = mnemis.scope('a');
        expect((await memory.stats()).episode).toBe(0);
        await remember(memory, turn('I love kiwi.', { speaker: 'Ann' }));
        expect((await memory.search('kiwi')).facts.length).toBeGreaterThan(0);
        expect((await memory.ask('What does Ann love?')).answered).toBe(true);
        await memory.flush();
      });
  });
});

describe('an embedder that breaks its contract', () => {
  const made = (vectors: (count: number) => Float32Array[]) => ({
    fingerprint: { model: 'faulty', dimension: 4 },
    embed: async (texts: readonly string[]) => vectors(texts.length),
  });
  it.each([
    ['too few vectors', () => [Float32Array.of(1, 0, 0, 0)]],
    ['another dimension', (count: number) => Array.from({ length: count }, () => Float32Array.of(1, 0))],
    ['NaN', (count: number) => Array.from({ length: count }, () => Float32Array.of(1, 0, 0, Number.NaN))],
  ])('is detected before anything is stored: %s', async (_, vectors) => {
    await using mnemis = await open(':memory:', { embedder: made(vectors) });
    const memory = mnemis.scope('a');
    await expect(memory.add([turn('kiwi'), turn('mango')])).rejects.toMatchObject({
      code: 'embedder-fault',
    });
    expect((await memory.stats()).episode).toBe(0);
  });
});

it('many concurrent calls serves 50 adds and 50 searches in parallel', async () => {
  await using(freshPath(), async (mnemis) => {
    const memory = mnemis.scope('a');
    await memory.add(turn('kiwi zero likes Oslo', { speaker: 'Ann', index: 0 }));
    const jobs = Array.from({ length: 50 }, async (_, number) => {
      const add = memory.add(turn(`kiwi ${number} likes Oslo`, { speaker: 'Ann', sourceId: `${number}` }));
      const result = await memory.search('kiwi Oslo Ann', { k: 100 });
      expect(result.episodes.length).toBeGreaterThan(0);
      expect(result.ranked.entities.every(({ id }) => typeof id === 'string')).toBe(true);
      expect(result.ranked.episodes.length).toBeGreaterThanOrEqual(result.episodes.length);
      return (await add).added;
    });
    const again = memory.add(turn('kiwi 7 likes Oslo', { speaker: 'Ann', sourceId: '7' }));
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 50 }, () => 1));
    expect(await again).toMatchObject({ known: 1 });
    const { episodes } = await memory.search('kiwi Oslo', { k: 100 });
    expect(episodes.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 51 }, (_, index) => index),
    );
  });
});

it.each(['/proc/nowhere/x.db', `${import.meta.filename}/x.db`])(
  'rejects %s, whose folder cannot be created, at once',
  async (path) => {
    await expect(open(path)).rejects.toMatchObject({ code: 'invalid-input' });
  },
);

it('creates the folders of a path', async () => {
  const path = `${freshPath('')}/one/two/x.db`;
  await using(path, async (mnemis) => {
    await mnemis.scope('a').add(turn('kiwi'));
  });
  await using(path, async (mnemis) => expect((await mnemis.scope('a').stats()).episode).toBe(1));
});
