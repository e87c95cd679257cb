import { copyFileSync, mkdtempSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decideReplacement, Seal } from '../../src/store/kuzu/file-set.ts';
import { edge, embedding, entity, episode, fact, scopeOf, segment } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_STORES, openFileStore } from './file-stores.ts';

const root = freshFolder();
const A = scopeOf('a');
let count = 0;
const freshPath = (ending: string) => join(mkdtempSync(join(root, 'memory-')), `${++count}${ending}`);

/** Bytes of all files of a memory. */
function bytesOf(path: string): number {
  const folder = join(path, '..');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const NAMES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
/** What nine turns become, with a vector of each row of text. */
const NINE_TURNS = {
  nodes: {
    episode: NAMES.map((name) => episode(`e${name}`)),
    segment: [segment('s')],
    entity: NAMES.map((name) => entity(`n${name}`)),
    fact: NAMES.map((name) => fact(`f${name}`)),
    embedding: NAMES.flatMap((name) =>
      ['e', 'f'].map((kind) => embedding(`v${kind}${name}`, { vector: new Float32Array(256).fill(0.1) })),
    ),
  },
  relationships: NAMES.flatMap((name) => [
    edge('IN_SEGMENT', `e${name}`, 's'),
    edge('MENTIONS', `e${name}`, `n${name}`),
    edge('EVIDENCED_BY', `f${name}`, `e${name}`, {}, ['fact', 'episode']),
  ]),
};

describe.each(FILE_STORES)('$name: a closed memory on disk', ({ ending }) => {
  it('takes at most 400 kB while it is empty', async () => {
    const path = freshPath(ending);
    await (await openFileStore(path)).close();
    expect(bytesOf(path)).toBeLessThan(400_000);
    await (await openFileStore(path)).close();
    expect(bytesOf(path)).toBeLessThan(400_000);
  });

  it('takes at most 1 MB with nine turns, and has them all when it is opened', async () => {
    const path = freshPath(ending);
    const store = await openFileStore(path);
    await store.commit(A, NINE_TURNS);
    await store.close();
    expect(bytesOf(path)).toBeLessThan(1_000_000);
    const again = await openFileStore(path);
    expect(await again.count(A)).toMatchObject({ episode: 9, segment: 1, entity: 9, fact: 9, embedding: 18 });
    expect((await again.get(A, 'fact', ['f9']))[0]).toEqual(fact('f9'));
    await again.close();
  });
});

describe('a small memory of Kùzu', () => {
  it('is refused when it was copied without its log, and opens when it was copied without its seal', async () => {
    const path = freshPath('.db');
    const store = await openFileStore(path);
    await store.commit(A, { nodes: { entity: [entity('n')] } });
    await store.close();
    const copy = freshPath('.db');
    copyFileSync(path, copy);
    await expect(openFileStore(copy)).rejects.toMatchObject({
      code: 'database-corrupt',
      message: expect.stringContaining('its log'),
    });
    copyFileSync(`${path}.wal`, `${copy}.wal`);
    const copied = await openFileStore(copy);
    expect(await copied.get(A, 'entity', ['n'])).toEqual([entity('n')]);
    await copied.close();
  });

  it('is made of a folded file of forty times its size by a compaction', async () => {
    const path = freshPath('.db');
    const folded = await openFileStore(path, { leastFileBytes: 0 });
    await folded.commit(A, NINE_TURNS);
    await folded.close();
    const before = bytesOf(path);
    const store = await openFileStore(path);
    await store.files()!.compact();
    await store.close();
    expect(bytesOf(path)).toBeLessThan(Math.min(1_000_000, before / 10));
    const again = await openFileStore(path);
    expect(await again.count(A)).toMatchObject({ episode: 9, segment: 1, entity: 9, fact: 9, embedding: 18 });
    expect((await again.get(A, 'fact', ['f9']))[0]).toEqual(fact('f9'));
    await again.close();
  });

  it.each([
    ['nothing', []],
    ['the log', ['.wal']],
    ['log and file', ['.wal', '']],
  ])('is replaced by a compacted one, if the process was killed after %s was moved', async (_, moved) => {
    const [path, other] = [freshPath('.db'), freshPath('.db')];
    for (const [file, name] of [
      [path, 'old'],
      [other, 'new'],
    ] as const) {
      const store = await openFileStore(file);
      await store.commit(A, { nodes: { entity: [entity(name)] } });
      await store.close();
    }
    for (const end of ['', '.wal', '.seal']) copyFileSync(other + end, `${path}.compacting${end}`);
    const seal = new Seal(path);
    decideReplacement(path, seal);
    seal.close();
    for (const end of moved) renameSync(`${path}.compacting${end}`, path + end);
    const store = await openFileStore(path);
    expect((await store.get(A, 'entity', ['old', 'new'])).map(({ id }) => id)).toEqual(['new']);
    await store.close();
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('compacting'))).toEqual([]);
  });
});
