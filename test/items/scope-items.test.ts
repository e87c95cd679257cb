import { describe, expect, it } from 'vitest';
import { itemHolder } from '../../src/edit/proof/memory-holders.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { loadItems } from '../../src/items/scope-items.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { killProgram } from '../child-program.ts';
import { item, scopeOf } from '../contract/graph-rows.ts';
import { diskFull, memoryOver, watchedStore } from '../engine/ingestion/memory-over.ts';
import { freshPath, graphOf, open, turn } from '../engine/memory-fixture.ts';

const embedder = (dimension = 256) => new HashingEmbedder({ analyze, dimension });
const reopened = (path: string) => open(path, { embedder: embedder(), automatic: false });

async function fresh(): Promise<MemoryScope> {
  return (await memoryOver(new InMemoryStore())).memory;
}

const rowsOf = async (memory: MemoryScope) =>
  (await graphOf(memory)).nodes.item.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const valuesOf = async ({ items }: MemoryScope) =>
  Object.fromEntries((await items.search([], { limit: 1_000 })).map(({ key, value }) => [key, value]));

describe('versions', () => {
  it('are all kept, each from its write until the next one', async () => {
    const memory = await fresh();
    await memory.items.put(['n'], 'k', { v: 1 });
    await memory.items.put(['n'], 'k', { v: 2 });
    await memory.items.batch([
      { op: 'put', namespace: ['n'], key: 'k', value: { v: 3 } },
      { op: 'put', namespace: ['n'], key: 'k', value: { v: 4 } },
    ]);
    const rows = await rowsOf(memory);
    expect(rows.map(({ value }) => JSON.parse(value).value.v)).toEqual([1, 2, 3, 4]);
    for (const [at, { expiredAt }] of rows.entries()) expect(expiredAt).toBe(rows[at + 1]?.createdAt ?? null);
    const found = await memory.items.get(['n'], 'k');
    expect(found).toMatchObject({
      value: { v: 4 },
      createdAt: rows[0]!.createdAt,
      updatedAt: rows[3]!.createdAt,
    });
  });

  it('are deleted together with the item, and a later item of that name is another one', async () => {
    const memory = await fresh();
    await memory.items.put(['n'], 'k', { v: 'secret one' });
    await memory.items.put(['n'], 'k', { v: 'secret two' });
    await memory.items.put(['n'], 'other', { v: 'stays' });
    await memory.items.delete(['n'], 'k');
    expect(JSON.stringify(await rowsOf(memory))).not.toContain('secret');
    await memory.items.batch([
      { op: 'put', namespace: ['n'], key: 'k', value: { v: 'short-lived' } },
      { op: 'delete', namespace: ['n'], key: 'k' },
      { op: 'put', namespace: ['n'], key: 'k', value: { v: 'new' } },
    ]);
    expect((await rowsOf(memory)).map(({ value }) => JSON.parse(value).value.v)).toEqual(['stays', 'new']);
    const { createdAt, updatedAt } = (await memory.items.get(['n'], 'k'))!;
    expect(createdAt).toBe(updatedAt);
  });

  it('never end before they began, though the clock was set back', async () => {
    let now = 0;
    await using engine = await open(':memory:', { embedder: embedder(), clock: () => now });
    const memory = engine.scope('a');
    for (now of [5_000, 4_000, 6_000]) await memory.items.put(['n'], 'k', { now });
    expect((await rowsOf(memory)).map(({ createdAt, expiredAt }) => [createdAt, expiredAt])).toEqual([
      [5_000, 5_000],
      [5_000, 6_000],
      [6_000, null],
    ]);
  });

  it('that are both live, as after an import: the latest counts, and both end with the next', async () => {
    const { store } = watchedStore();
    const text = (v: number) => JSON.stringify({ value: { v } });
    const rows = [
      item('b', { createdAt: 5, value: text(2) }),
      item('a', { createdAt: 3, value: text(1) }),
      item('c', { createdAt: 9, expiredAt: 10, value: text(3) }),
      item('d', { key: 'over', createdAt: 1, expiredAt: 2, value: text(4) }),
      item('e', { key: 'unreadable', value: '[1]' }),
    ];
    await store.commit(scopeOf('a'), { nodes: { item: rows } });
    const { memory } = await memoryOver(store);
    expect(await valuesOf(memory)).toEqual({ key: { v: 2 } });
    await memory.items.put(['users', '1'], 'key', { v: 5 });
    const standing = (await rowsOf(memory)).filter(({ expiredAt }) => expiredAt === null);
    expect(standing.map(({ key }) => key).sort()).toEqual(['key', 'unreadable']);
  });
});

describe('writes', () => {
  it('survive a killed process once they are acknowledged', async () => {
    const path = freshPath();
    const script = `${import.meta.dirname}/put-items.ts`;
    const { lines, errors, signal } = await killProgram(script, [path], (seen) => seen.length >= 20, 3);
    expect([signal, errors]).toEqual(['SIGKILL', '']);
    await using engine = await reopened(path);
    const values = await valuesOf(engine.scope('ann'));
    const last = Number(lines.at(-1));
    expect((values.counter as { number: number }).number).toBeGreaterThanOrEqual(last);
    for (let number = 1; number <= last; number++) expect(values[`other ${number}`]).toEqual({ number });
    expect((await engine.verify()).findings).toEqual([]);
  });

  it('that are concurrent share one transaction, and each is acknowledged by it', async () => {
    const { store, commits } = watchedStore();
    const { memory } = await memoryOver(store);
    await memory.items.get(['n'], 'k');
    await Promise.all(Array.from({ length: 50 }, (_, at) => memory.items.put(['n'], `k${at}`, { at })));
    expect(commits.length).toBeLessThanOrEqual(2);
    expect(Object.keys(await valuesOf(memory))).toHaveLength(50);
  });

  it('that fail are reported to their caller, leave nothing, and lose none of the next ones', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.items.put(['n'], 'k', { v: 1 });
    let failing = true;
    let later: Promise<unknown> = Promise.resolve();
    watched.before = async () => {
      if (!failing) return;
      failing = false;
      later = memory.items.put(['n'], 'later', { v: 3 }); // comes while the other fails
      diskFull();
    };
    await expect(memory.items.put(['n'], 'k', { v: 2 })).rejects.toMatchObject({ code: 'disk-full' });
    expect(await memory.items.get(['n'], 'k')).toMatchObject({ value: { v: 1 } });
    await later;
    expect(await valuesOf(memory)).toEqual({ k: { v: 1 }, later: { v: 3 } });
  });

  it('that fail after they were stored are stored', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.items.put(['n'], 'k', { v: 1 });
    watched.after = () => diskFull();
    await expect(memory.items.put(['n'], 'k', { v: 2 })).rejects.toMatchObject({ code: 'disk-full' });
    watched.after = () => undefined;
    expect(await memory.items.get(['n'], 'k')).toMatchObject({ value: { v: 2 } });
  });

  it('of a batch with an invalid one are all rejected, and the error contains no text of the user', async () => {
    const memory = await fresh();
    const good = { op: 'put', namespace: ['n'], key: 'k', value: { v: 1 } } as const;
    for (const bad of [
      { ...good, namespace: ['my.secret'] },
      { ...good, value: { secret: 1n } },
      { ...good, value: { secret: 'x'.repeat(250_000) } },
      { op: 'search', prefix: ['n'], filter: { secret: { $secret: 1 } } },
      { op: 'search', prefix: ['n'], limit: -1 },
      { op: 'namespaces', maxDepth: 0 },
    ] as const) {
      const failed = await memory.items.batch([good, bad]).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'invalid-input' });
      expect((failed as Error).message).not.toContain('secret');
    }
    expect(await rowsOf(memory)).toEqual([]);
  });

  it('are rejected by a closed engine', async () => {
    const engine = await open(':memory:', { embedder: embedder() });
    const { items } = engine.scope('a');
    await items.put(['n'], 'k', { v: 1 });
    await engine.close();
    await expect(items.put(['n'], 'k', { v: 2 })).rejects.toMatchObject({ code: 'store-closed' });
  });
});

describe('reading', () => {
  it('gives the same items after a restart', async () => {
    const path = freshPath();
    const engine = await reopened(path);
    const value = { text: 'Über 鍵 🗝️', '__proto__ ': [null, 1.5], nested: { a: [] } };
    await engine.scope('ann').items.put(['ünï', 'ann'], 'ключ', value, { fields: ['text'] });
    const before = await engine.scope('ann').items.get(['ünï', 'ann'], 'ключ');
    await engine.close();
    await using again = await reopened(path);
    expect(await again.scope('ann').items.get(['ünï', 'ann'], 'ключ')).toEqual(before);
    const [found] = await again.scope('ann').items.search([], { query: 'nested', fields: ['nested'] });
    expect(found?.score).toBe(0); // what the writer named is searched, not what the reader names
  });

  it('does not wait for writes of turns', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.items.put(['n'], 'k', { v: 1 });
    let release = () => {};
    watched.before = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    const adding = memory.add(turn('I moved to Oslo.'));
    expect(await memory.items.get(['n'], 'k')).toMatchObject({ value: { v: 1 } });
    expect(await memory.items.search(['n'], { query: 'v' })).toHaveLength(1);
    while ((await Promise.race([adding, new Promise(setImmediate)])) === undefined) release();
  });

  it('ranks by words if there is no embedder', async () => {
    const path = freshPath();
    const engine = await reopened(path);
    const { items } = engine.scope('a');
    await items.put(['n'], 'tea', { text: 'likes green tea' });
    await items.put(['n'], 'sea', { text: 'sails at sea' });
    await engine.close();
    await using without = await open(path, { embedder: null });
    const found = await without.scope('a').items.search(['n'], { query: 'Who sails?' });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ['sea', 1],
      ['tea', 0],
    ]);
  });

  it('scores an item by its similarity to the query, so that a threshold keeps all good ones', async () => {
    const { items } = await fresh();
    await items.put(['n'], 'both', { text: 'The kiln needs a new thermostat' });
    await items.put(['n'], 'same', { text: 'The thermostat of the kiln is broken' });
    await items.put(['n'], 'one', { text: 'The kiln is in the garden' });
    await items.put(['n'], 'none', { text: 'Paint the boat before May' });
    const found = await items.search(['n'], { query: 'kiln thermostat' });
    const scores = Object.fromEntries(found.map(({ key, score }) => [key, score!]));
    expect(found.map(({ key }) => key).slice(2)).toEqual(['one', 'none']);
    for (const score of [scores.both!, scores.same!]) expect([score > 0.5, score <= 1]).toEqual([true, true]);
    expect(scores.one).toBeGreaterThan(0.15);
    expect(scores.one).toBeLessThan(0.5);
    expect(scores.none).toBeLessThan(0.1);
    const [whole] = await items.search(['n'], { query: 'text: The kiln needs a new thermostat' });
    expect(whole).toMatchObject({ key: 'both', score: expect.closeTo(1, 1) });
  });

  it('continues with the embedder to which the memory has moved', async () => {
    await using engine = await reopened(':memory:');
    const { items } = engine.scope('a');
    await engine.scope('a').add(turn('I moved to Oslo.'));
    await items.put(['n'], 'tea', { text: 'likes green tea' });
    await items.put(['n'], 'sea', { text: 'sails at sea' });
    const before = await items.search(['n'], { query: 'sailing' });
    await engine.reembed({ embedder: embedder(64) });
    const [first] = await items.search(['n'], { query: 'sailing' });
    expect(first).toEqual({ ...before[0], score: expect.closeTo(before[0]!.score!, 1) });
    expect((await engine.verify()).findings).toEqual([]);
  });

  it('is cancelled by its signal', async () => {
    const { items } = await fresh();
    await items.put(['n'], 'k', { v: 1 });
    const signal = AbortSignal.abort();
    await expect(items.search(['n'], { query: 'v', signal })).rejects.toMatchObject({ code: 'cancelled' });
  });
});

it('a scope shows no item among its turns, and no turn among its items', async () => {
  const memory = await fresh();
  await memory.add(turn('I moved to Oslo.'));
  await memory.items.put(['n'], 'k', { text: 'Oslo harbour' });
  expect((await memory.search('Oslo')).episodes.map(({ content }) => content)).toEqual(['I moved to Oslo.']);
  expect(await memory.items.search([], { query: 'Oslo' })).toHaveLength(1);
  expect((await memory.stats()).item).toBe(1);
});

describe('items and the rest of memory', () => {
  const SECRET = 'the zirconium ring lies behind the wardrobe';

  it('when a session is forgotten: they stay; when everything is: all versions are removed', async () => {
    const memory = await fresh();
    await memory.add(turn('I moved to Oslo.', { session: 's' }));
    await memory.items.put(['n'], 'k', { text: SECRET });
    await memory.items.put(['n'], 'k', { text: 'newer' });
    await memory.forget({ session: 's' });
    expect(await valuesOf(memory)).toEqual({ k: { text: 'newer' } });
    const report = await memory.forget({ all: true });
    expect(report).toMatchObject({ removed: { item: 2 }, proof: { clean: true, findings: [] } });
    expect(report.proof.searched).toBeGreaterThanOrEqual(1);
    expect(await memory.items.search([])).toEqual([]);
    expect(await rowsOf(memory)).toEqual([]);
    await memory.items.put(['n'], 'k', { v: 'after' });
    expect(await valuesOf(memory)).toEqual({ k: { v: 'after' } });
  });

  it('when a forgetting leaves one behind: its proof says so', async () => {
    const store = new InMemoryStore();
    const commit = store.commit.bind(store);
    store.commit = (scope, { removals = [], ...changes }) =>
      commit(scope, { ...changes, removals: removals.filter(({ kind }) => kind !== 'item') });
    const { memory } = await memoryOver(store);
    await memory.items.put(['n'], 'k', { text: SECRET, more: 'short' });
    const { proof } = await memory.forget({ all: true });
    expect(proof).toMatchObject({
      clean: false,
      findings: [{ holder: 'graph', where: 'item.value', texts: 1 }],
    });
  });

  it('when everything is forgotten in a scope that is named in them: its name is no remnant', async () => {
    const { memory } = await memoryOver(new InMemoryStore(), { scope: 'user ann 4711' });
    await memory.add(turn('I moved to Oslo.', { speaker: 'user ann 4711' }));
    await memory.items.put(['n'], 'k', { text: 'user ann 4711' });
    expect((await memory.forget({ all: true })).proof).toMatchObject({ clean: true, findings: [] });
  });

  it('in an export and its import: they are restored, also if some were already read', async () => {
    await using engine = await reopened(':memory:');
    const memory = engine.scope('ann');
    await memory.items.put(['n'], 'k', { text: 'older' });
    await memory.items.put(['n'], 'k', { text: SECRET }, { fields: false });
    const file = freshPath('.jsonl');
    await memory.exportTo(file);
    const [before] = await memory.items.search([], { query: 'ring' });
    const copy = engine.scope('copy');
    expect(await copy.items.search([])).toEqual([]);
    await copy.importFrom(file, { newIds: true });
    expect((await copy.items.search([], { query: 'ring' }))[0]).toEqual(before);
    expect(before?.score).toBeNull();
    expect(await rowsOf(copy)).toHaveLength(2);
    await memory.forget({ all: true });
    await memory.importFrom(file);
    expect(await memory.items.get(['n'], 'k')).toMatchObject({ value: { text: SECRET } });
  });

  it('in memory: the proof searches them, with their labels and keys', async () => {
    const store = new InMemoryStore();
    const values = [{ v: [{ [SECRET]: 1 }] }, { v: SECRET }, { v: 1 }, { v: 1 }, { v: 1 }];
    const rows = values.map((value, at) =>
      item(`${at}`, {
        key: at === 2 ? SECRET : `k${at}`,
        namespace: at === 3 ? [SECRET] : ['n'],
        value: JSON.stringify({ value }),
      }),
    );
    await store.commit(scopeOf('a'), { nodes: { item: rows } });
    const tree = loadItems(store, scopeOf('a'));
    const held = await itemHolder(() => [tree]).holds(['nowhere at all', SECRET]);
    expect(held).toEqual([{ text: 1, where: 'current', count: 4 }]);
  });

  it('when they are deleted: memory holds nothing of them, labels included', async () => {
    const store = new InMemoryStore();
    const { memory } = await memoryOver(store);
    await memory.items.put([SECRET, 'deep'], SECRET, { text: SECRET });
    await memory.items.put(['n'], 'k', { v: 1 });
    await memory.items.delete([SECRET, 'deep'], SECRET);
    const tree = await loadItems(store, memory.name);
    expect(await itemHolder(() => [Promise.resolve(tree)]).holds([SECRET])).toEqual([]);
    expect(await memory.items.namespaces()).toEqual([['n']]);
  });
});
