import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { embedderSetting } from '../../src/files/match-embedder.ts';
import { moveAll, one, tell, two, vectorsIn } from '../files/reembed/reembed-fixture.ts';
import { contents, freshPath, graphOf, open, turn } from './memory-fixture.ts';

const quiet = { logger: { warn: () => undefined } };
const refused = { code: 'invalid-input', message: expect.stringContaining('without an embedder') };

describe('a memory opened without an embedder', () => {
  it('is counted and copied, and not changed', async () => {
    const path = freshPath();
    const made = await open(path, { embedder: one() });
    await tell(made);
    const counts = await made.scope('a').stats();
    const graph = await graphOf(made.scope('a'));
    await made.close();
    const before = readFileSync(path);
    const mnemis = await open(path, {
      embedder: null,
      logger: {
        warn: () => {
          throw new Error('there is nothing to warn of');
        },
      },
    });
    expect(mnemis.describe()).toMatchObject({ fingerprint: one().fingerprint, nextFingerprint: null });
    expect(await mnemis.scope('a').stats()).toEqual(counts);
    expect(await graphOf(mnemis.scope('a'))).toEqual(graph);
    await mnemis.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is searched by words, accepts no turn, and moves to a given embedder', async () => {
    const path = freshPath();
    const made = await open(path, { embedder: one() });
    await tell(made);
    await made.close();
    const mnemis = await open(path, { embedder: null });
    const memory = mnemis.scope('a');
    const found = await memory.search('beagle shelter Bergen');
    expect(contents(found).join()).toContain('poodle');
    expect(new Set(found.episodes.flatMap(({ why }) => why.map(({ list }) => list)))).toEqual(
      new Set(['lexical']),
    );
    const { episode } = await memory.stats();
    await expect(memory.add(turn('kiwi'))).rejects.toMatchObject(refused);
    await expect(moveAll(mnemis)).rejects.toMatchObject(refused);
    await expect(moveAll(mnemis, { embedder: 'two' as never })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('openEmbedder'),
    });
    expect((await memory.stats()).episode).toBe(episode);
    const { result } = await moveAll(mnemis, { embedder: two() });
    await memory.add(turn('kiwi'));
    expect(contents(await memory.search('kiwi'))[0]).toBe('kiwi');
    await mnemis.close();
    expect((await vectorsIn(path))['two@64']).toBeGreaterThan(result.texts);
  });

  it('may be empty, and accepts any embedder afterwards', async () => {
    const path = freshPath();
    const empty = await open(path, { embedder: null });
    expect((await empty.scope('a').search('kiwi')).episodes).toEqual([]);
    await expect(empty.scope('a').add(turn('kiwi'))).rejects.toMatchObject(refused);
    await empty.close();
    await using mnemis = await open(path, { embedder: one(), ...quiet });
    expect(mnemis.describe()).toMatchObject({ fingerprint: one().fingerprint });
  });
});

it.each([
  ['hashing-v1', 256, { name: 'hashing' }],
  ['hashing-v1', 64, { name: 'hashing', dimension: 64 }],
  ['static-en-v1', 256, { name: 'static' }],
  ['bge-m3', 1024, { name: expect.stringMatching(/^bge-m3(:fp32|:fp16)?$/) }],
  ['somebody’s own', 8, null],
  ['static', 8, null],
])('openers of an embedder by name of %s@%d', (model, dimension, setting) => {
  expect(embedderSetting({ model, dimension })).toEqual(setting);
});
