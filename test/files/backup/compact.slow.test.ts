import { existsSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { memoryTextHolders } from '../../../src/edit/proof/memory-holders.ts';
import { proofScan } from '../../../src/edit/proof/text-holder.ts';
import { type CompactEvent, compact, compactFile } from '../../../src/files/backup/compact.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { answersTo, CONVERSATION, freshPath, QUERIES, remember, turn } from '../../engine/memory-fixture.ts';
import { type OpenedMemory, openMemory, textsOnDisk } from './opened-memory.ts';

const A = 'a' as Scope;
/** Words that no other turn has. */
const SECRETS = Array.from(
  { length: 40 },
  (_, i) => `Quibble${i} hid zirconium${i} behind the wardrobe on Plover Street`,
);

async function all(events: AsyncIterable<CompactEvent>) {
  const taken: CompactEvent[] = [];
  for await (const event of events) taken.push(event);
  return { taken, done: taken.at(-1) as Extract<CompactEvent, { type: 'done' }> };
}

const compactOpened = ({ context, keeper }: OpenedMemory, signal?: AbortSignal) =>
  all(compact({ ...context, indexes: [keeper] }, { signal }));

/** A memory that held secrets as turns and takes them away again as rows, the way that forgetting does. */
async function withRemoved(path: string): Promise<OpenedMemory> {
  const opened = await openMemory(path);
  const { memory, store, keeper } = opened;
  await remember(memory, CONVERSATION);
  await memory.add(SECRETS.map((content, i) => turn(content, { session: 'secrets', sourceId: String(i) })));
  const ids: string[] = [];
  for await (const rows of store.scan(A, 'episode', ['id', 'session']))
    for (const { id, session } of rows) if (session === 'secrets') ids.push(id);
  const removals: { kind: 'episode' | 'embedding'; id: string }[] = ids.map((id) => ({
    kind: 'episode',
    id,
  }));
  for await (const rows of store.scan(A, 'embedding', ['id', 'owner']))
    for (const { id, owner } of rows) if (ids.includes(owner)) removals.push({ kind: 'embedding', id });
  await store.commit(A, { removals });
  (await keeper.load()).index.apply({ removals });
  await keeper.save();
  return opened;
}

const holdersOf = ({ store, context, keeper }: OpenedMemory) =>
  memoryTextHolders({
    store,
    snapshotFolder: context.snapshotFolder,
    indexes: () => (keeper.loaded === null ? [] : [keeper.loaded.index]),
    recalled: () => [],
    cachedWords: () => [],
  });

describe('compact', () => {
  it('erases removed texts from every file and from the indexes, in place, and answers as before', async () => {
    const path = freshPath();
    const opened = await withRemoved(path);
    const { memory, keeper, store } = opened;
    const answers = await answersTo(memory, QUERIES);
    expect(textsOnDisk(path, SECRETS)).toBe(SECRETS.length);
    const { memory: inMemory, disk } = holdersOf(opened);
    const scan = async (names: string) =>
      new Set(
        (await proofScan([...inMemory, ...disk], SECRETS)).findings.map((each) => each[names as 'holder']),
      );
    expect(await scan('holder')).toEqual(new Set(['search indexes', 'index snapshots', 'files']));
    const before = await keeper.load();

    const { taken, done } = await compactOpened(opened);
    expect(done).toMatchObject({ type: 'done', rows: expect.any(Number) });
    expect(done.bytesAfter).toBeLessThanOrEqual(done.bytesBefore); // most rows were in the log
    expect(taken.filter(({ type }) => type === 'progress').length).toBeGreaterThan(2);
    expect(textsOnDisk(path, SECRETS)).toBe(0);
    expect(await proofScan([...inMemory, ...disk], SECRETS)).toMatchObject({ clean: true, findings: [] });
    expect(keeper.loaded).not.toBe(before);
    expect(await answersTo(memory, QUERIES)).toEqual(answers);
    expect(readdirSync(`${path}.indexes`)).toHaveLength(1);
    await remember(memory, turn('Zoe keeps bees in Turku.', { session: 'later' }));
    expect((await memory.search('bees')).episodes[0]?.content).toContain('Turku');
    expect((await memory.stats()).episode).toBe(CONVERSATION.length + 1);
    expect(store.describe().checkpointOverdue).toBe(false);
    await opened.close();

    expect(await verifyMemory(path)).toMatchObject({ sound: true, scopes: [{ index: 'equal' }] });
    const again = await openMemory(path);
    expect((await again.memory.search('bees')).episodes[0]?.content).toContain('Turku');
    expect((await proofScan([...holdersOf(again).disk], SECRETS)).clean).toBe(true);
    await again.close();
  });

  it('lets searches continue and writers wait', async () => {
    const opened = await withRemoved(freshPath());
    const { memory } = opened;
    let isDone = false;
    const events = compact({ ...opened.context, indexes: [opened.keeper] });
    expect((await events.next()).value).toMatchObject({ type: 'progress', step: 'copy' });
    const compacting = all(events).then(() => {
      isDone = true;
    });
    const added = memory.add(turn('Zoe keeps bees in Turku.')).then(() => isDone);
    let searches = 0;
    while (!isDone) {
      expect((await memory.search('Which breed is Rex?')).episodes.length).toBeGreaterThan(0);
      if (!isDone) searches++;
      await nextTurn(); // a search that finds its rows in the cache gives way to nobody
    }
    await compacting;
    expect(searches).toBeGreaterThan(0);
    expect(await added).toBe(true);
    expect((await memory.search('bees')).episodes[0]?.content).toContain('Turku');
    await opened.close();
  });

  it('keeps the memory unchanged when it is cancelled, or when its events are left early', async () => {
    const path = freshPath();
    const opened = await withRemoved(path);
    const answers = await answersTo(opened.memory, QUERIES);
    const { databaseId } = opened.store.describe();
    const stop = new AbortController();
    const taking = async () => {
      for await (const event of compact(
        { ...opened.context, indexes: [opened.keeper] },
        { signal: stop.signal },
      ))
        if (event.type === 'progress') stop.abort();
    };
    await expect(taking()).rejects.toMatchObject({ code: 'cancelled' });
    for await (const _ of compact({ ...opened.context, indexes: [opened.keeper] })) break;
    expect(opened.store.describe().databaseId).toBe(databaseId);
    expect(existsSync(`${path}.compacting`)).toBe(false);
    expect(await answersTo(opened.memory, QUERIES)).toEqual(answers);
    await opened.close();
    expect(await verifyMemory(path)).toMatchObject({ sound: true, scopes: [{ index: 'equal' }] }); // saved again
  });

  it('works on a memory that nobody has open, and on none without files', async () => {
    const path = freshPath();
    await (await withRemoved(path)).close();
    expect(textsOnDisk(path, SECRETS)).toBe(SECRETS.length);
    const { done } = await all(compactFile(path));
    expect(done.rows).toBeGreaterThan(0);
    expect(textsOnDisk(path, SECRETS)).toBe(0);
    expect(existsSync(`${path}.indexes`)).toBe(false); // it held the words
    const opened = await openMemory(path);
    await expect(all(compactFile(path))).rejects.toMatchObject({ code: 'database-locked' });
    await opened.close();
    const nowhere = { ...opened.context, store: new InMemoryStore(), indexes: [] };
    await expect(all(compact(nowhere))).rejects.toMatchObject({ code: 'invalid-input' });
  });
});
