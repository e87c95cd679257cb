import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkRoom, measureRoom, roomNeeded } from '../../../src/files/reembed/move.ts';
import { reembed } from '../../../src/files/reembed/reembed.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { embedding, episode, scopeOf } from '../../contract/graph-rows.ts';
import { freshPath, using } from '../../engine/memory-fixture.ts';
import { one, two } from './reembed-fixture.ts';

const MEGABYTE = 1e6;

describe('the disk room of a move', () => {
  it('grows with the vectors, their length and the file', () => {
    expect(roomNeeded(0, 256, 500 * MEGABYTE)).toBe(0);
    expect(roomNeeded(10, 256, 500 * MEGABYTE)).toBeLessThan(MEGABYTE); // a few stay in the log
    const needed = roomNeeded(10_000, 256, 10 * MEGABYTE);
    expect(needed).toBeGreaterThan(10_000 * 256 * 4);
    expect(roomNeeded(20_000, 256, 10 * MEGABYTE)).toBeGreaterThan(needed);
    expect(roomNeeded(10_000, 512, 10 * MEGABYTE)).toBeGreaterThan(needed);
    expect(roomNeeded(90_000, 256, 20 * MEGABYTE)).toBeGreaterThan(roomNeeded(90_000, 256, 10 * MEGABYTE));
  });

  it('is reported when it is missing', () => {
    const fileBytes = 10 * MEGABYTE;
    const neededBytes = roomNeeded(4_000, 256, fileBytes);
    checkRoom(4_000, 256, { fileBytes, freeBytes: neededBytes });
    expect(() => checkRoom(4_000, 256, { fileBytes, freeBytes: 3 * MEGABYTE })).toThrow(
      expect.objectContaining({
        code: 'not-enough-room',
        message: expect.stringMatching(
          new RegExp(`${Math.ceil(neededBytes / MEGABYTE)} MB.*3 MB are free; nothing was changed`),
        ),
      }),
    );
  });

  it('is measured where the file is', async () => {
    const path = freshPath();
    await using(path, (mnemis) => mnemis.scope('a').stats());
    const { fileBytes, freeBytes } = await measureRoom(path);
    expect(fileBytes).toBe(statSync(path).size);
    expect(freeBytes).toBeGreaterThan(0);
  });
});

it('is checked before anything is changed', async () => {
  const store = new InMemoryStore();
  const [a, old] = [scopeOf('a'), embedding('v', { model: 'one@64', owner: 'e' })];
  await store.setFingerprint(one().fingerprint);
  await store.commit(a, { nodes: { episode: [episode('e')], embedding: [old] } });
  const before = await store.state(a);
  const embedder = two();
  const move = reembed({
    store,
    embedder,
    newId: () => 'new',
    signal: undefined,
    room: async () => ({ fileBytes: 1e6, freeBytes: 1e3 }),
    comparesVectors: true,
    switchOver: async () => expect.unreachable(),
  });
  await expect(move.next()).rejects.toMatchObject({ code: 'not-enough-room' });
  expect(await store.state(a)).toEqual(before);
  expect(store.describe().nextFingerprint).toBeNull();
  expect(embedder.passages).toEqual([]);
});
