import type { BaseStore, Operation } from '@langchain/langgraph-checkpoint';
import { afterEach, describe, expect, it } from 'vitest';

export interface OpenedStore {
  readonly store: BaseStore;
  readonly close: () => Promise<void>;
}

/** Why a store is not asked a case: the case's name, and what it does instead. */
export type Skipped = Readonly<Record<string, string>>;

const PEOPLE = [
  ['ann', { age: 34, city: 'Oslo', born: '1989-04-01', tags: ['a', 'b'] }],
  ['bob', { age: 5, city: 'Bergen', born: '2018-12-24', tags: [] }],
  ['cyd', { age: 34, city: 'Bergen', born: '1989-11-30' }],
  ['dee', { city: 'Oslo', age: null }],
] as const;

const HOBBIES = [
  ['boat', { text: 'She sails a small boat on the fjord', note: 'purple' }],
  ['oven', { text: 'He bakes rye bread in a stone oven', note: 'green' }],
  ['moth', { text: 'They collect night moths with a lamp', note: 'orange' }],
] as const;

/** What every LangGraph store does, as the in-memory store of LangGraph means it. */
export function langgraphStoreContract(
  name: string,
  open: () => Promise<OpenedStore>,
  skipped: Skipped = {},
): void {
  describe(`${name}: the LangGraph store contract`, () => {
    const opened: OpenedStore[] = [];
    const asked = new Set<string>();
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    const test = (title: string, job: (store: BaseStore) => Promise<void>) => {
      asked.add(title);
      const why = skipped[title];
      if (why !== undefined) return it.skip(`${title} (skipped: ${why})`);
      it(title, async () => {
        const each = await open();
        opened.push(each);
        await job(each.store);
      });
    };

    test('gives back what was put, with its address and times', async (store) => {
      const before = Date.now();
      await store.put(['users', 'ann'], 'likes', {
        drink: 'tea',
        cups: [1, 2.5],
        deep: { yes: true, no: null },
      });
      const item = await store.get(['users', 'ann'], 'likes');
      expect(item).toMatchObject({
        namespace: ['users', 'ann'],
        key: 'likes',
        value: { drink: 'tea', cups: [1, 2.5], deep: { yes: true, no: null } },
      });
      for (const time of [item!.createdAt, item!.updatedAt]) {
        expect(time).toBeInstanceOf(Date);
        expect(time.getTime()).toBeGreaterThanOrEqual(before);
      }
    });

    test('replaces the value of a key, and keeps when it first came', async (store) => {
      await store.put(['a'], 'k', { one: 1, both: 'old' });
      const first = { ...(await store.get(['a'], 'k'))! };
      await store.put(['a'], 'k', { both: 'new' });
      const second = (await store.get(['a'], 'k'))!;
      expect(second.value).toEqual({ both: 'new' });
      expect(second.createdAt).toEqual(first.createdAt);
      expect(second.updatedAt.getTime()).toBeGreaterThanOrEqual(first.updatedAt.getTime());
      expect(await store.search(['a'])).toHaveLength(1);
    });

    test('answers a batch in its order, as things were before it', async (store) => {
      await store.put(['a'], 'k', { v: 1 });
      const operations = [
        { namespace: ['a'], key: 'k', value: { v: 2 } },
        { namespace: ['a'], key: 'k' },
        { namespacePrefix: ['a'] },
        { namespace: ['b'], key: 'new', value: { v: 3 } },
        { namespace: ['b'], key: 'new' },
        { matchConditions: undefined, limit: 10, offset: 0 },
      ] as unknown as Operation[];
      const [put, get, search, putNew, getNew, list] = (await store.batch(operations)) as unknown[];
      expect([put ?? null, putNew ?? null, getNew]).toEqual([null, null, null]);
      expect(get).toMatchObject({ value: { v: 1 } });
      expect(search).toMatchObject([{ key: 'k', value: { v: 1 } }]);
      expect(list).toEqual([['a']]);
      expect((await store.get(['a'], 'k'))?.value).toEqual({ v: 2 });
      expect((await store.get(['b'], 'new'))?.value).toEqual({ v: 3 });
      expect(await store.batch([])).toEqual([]);
    });

    test('takes the last of several writes to a key in one batch', async (store) => {
      const write = (key: string, value: object | null) => ({ namespace: ['a'], key, value });
      await store.batch([
        write('k', { v: 1 }),
        write('gone', { v: 1 }),
        write('k', { v: 2 }),
        write('gone', null),
        write('back', null),
        write('back', { v: 3 }),
      ] as Operation[]);
      const values = (await store.search(['a'])).map(({ key, value }) => [key, value.v]);
      expect(values.sort()).toEqual([
        ['back', 3],
        ['k', 2],
      ]);
    });

    test('compares labels whole', async (store) => {
      await store.put(['users', '1'], 'a', { v: 1 });
      await store.put(['users', '10'], 'b', { v: 2 });
      await store.put(['users', '1', '0'], 'c', { v: 3 });
      expect(await keysIn(store, ['users', '1'])).toEqual(['a', 'c']);
      expect(await keysIn(store, ['user'])).toEqual([]);
    });

    test('keeps labels apart, whatever stands in them', async (store) => {
      await store.put(['a:b'], 'k', { v: 1 });
      await store.put(['a', 'b'], 'k', { v: 2 });
      await store.put(['a/b', 'c"d'], 'k', { v: 3 });
      expect((await store.get(['a:b'], 'k'))?.value).toEqual({ v: 1 });
      expect((await store.get(['a', 'b'], 'k'))?.value).toEqual({ v: 2 });
      expect(await store.listNamespaces()).toEqual([['a', 'b'], ['a/b', 'c"d'], ['a:b']]);
    });

    test('takes any words for labels, keys and fields', async (store) => {
      const words = ['constructor', '__proto__', 'toString', 'ключ', '鍵 🗝️', 'with space', '*'];
      for (const word of words) await store.put(['n', word], word, { [word]: word, plain: 1 });
      for (const word of words) {
        const item = await store.get(['n', word], word);
        expect(Object.hasOwn(item!.value, word) && item!.value[word]).toBe(word);
        expect(item!.value.plain).toBe(1);
      }
      expect(await store.search(['n', '*'])).toHaveLength(1);
    });

    test('filters by $eq, $ne, $gt, $gte, $lt, $lte, $in and $nin', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      expect(await keysIn(store, ['p'], { age: { $eq: 34 } })).toEqual(['ann', 'cyd']);
      expect(await keysIn(store, ['p'], { city: { $ne: 'Oslo' } })).toEqual(['bob', 'cyd']);
      expect(await keysIn(store, ['p'], { missing: { $ne: 1 } })).toHaveLength(4);
      expect(await keysIn(store, ['p'], { age: { $gt: 5 } })).toEqual(['ann', 'cyd']);
      expect(await keysIn(store, ['p'], { age: { $gte: 5 } })).toEqual(['ann', 'bob', 'cyd']);
      expect(await keysIn(store, ['p'], { age: { $gt: 5, $lt: 34 } })).toEqual([]);
      expect(await keysIn(store, ['p'], { age: { $gte: 5, $lt: 34 } })).toEqual(['bob']);
      expect(await keysIn(store, ['p'], { age: { $gt: 4, $lte: '34' } })).toEqual(['ann', 'bob', 'cyd']);
      expect(await keysIn(store, ['p'], { city: { $in: ['Oslo', 'Rome'] } })).toEqual(['ann', 'dee']);
      expect(await keysIn(store, ['p'], { city: { $nin: ['Oslo', 'Rome'] } })).toEqual(['bob', 'cyd']);
      expect(await keysIn(store, ['p'], { missing: { $nin: [1] } })).toHaveLength(4);
      expect(await keysIn(store, ['p'], { city: { $ne: 'Oslo' }, age: { $lt: 30 } })).toEqual(['bob']);
    });

    test('takes no property that every object has for a field', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      expect(await keysIn(store, ['p'], { constructor: Object })).toEqual([]);
      expect(await keysIn(store, ['p'], { toString: { $ne: 1 }, valueOf: undefined })).toHaveLength(4);
    });

    test('takes nothing for a number that is none', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      expect(await keysIn(store, ['p'], { age: { $lt: 6 } })).toEqual(['bob']);
      expect(await keysIn(store, ['p'], { tags: { $gte: 0 } })).toEqual([]);
    });

    test('compares lists and objects by what is in them', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      expect(await keysIn(store, ['p'], { tags: ['a', 'b'] })).toEqual(['ann']);
      expect(await keysIn(store, ['p'], { tags: { $in: [[], 'x'] } })).toEqual(['bob']);
    });

    test('compares times that are written as ISO texts', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      expect(await keysIn(store, ['p'], { born: { $gte: '1989-11-30', $lt: '2020' } })).toEqual([
        'bob',
        'cyd',
      ]);
    });

    test('refuses an operator that is none', async (store) => {
      await putAll(store, ['p'], PEOPLE);
      await expect(store.search(['p'], { filter: { city: { $like: 'Os%' } } })).rejects.toThrow();
      await expect(store.search(['p'], { filter: { city: { $in: 'Oslo' } } })).rejects.toThrow();
    });

    test('gives ten, or as many as asked for, page by page, in a steady order', async (store) => {
      const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
      for (const key of keys) await store.put(['n'], key, { key });
      await store.put(['n'], 'k3', { key: 'k3', again: true });
      const page = async (limit?: number, offset?: number) =>
        (
          await store.search(['n'], {
            ...(limit === undefined ? {} : { limit }),
            ...(offset === undefined ? {} : { offset }),
          })
        ).map(({ key }) => key);
      expect(await page()).toEqual(keys.slice(0, 10));
      expect([...(await page(5, 0)), ...(await page(5, 5)), ...(await page(5, 10))]).toEqual(keys);
      expect(await page(100)).toEqual(keys);
      expect(await page(5, 50)).toEqual([]);
    });

    test('does not list a namespace that was emptied', async (store) => {
      await store.put(['a', 'b'], 'k', { v: 1 });
      await store.put(['c'], 'k', { v: 1 });
      await store.delete(['a', 'b'], 'k');
      expect(await store.listNamespaces()).toEqual([['c']]);
    });

    test('lists namespaces for an operation without conditions', async (store) => {
      await store.put(['a'], 'k', { v: 1 });
      const operations = [
        { limit: 5, offset: 0 },
        { namespace: ['a'], key: 'k' },
      ] as Operation[];
      expect(await store.batch(operations)).toMatchObject([[['a']], { key: 'k' }]);
    });

    test('refuses namespaces that are none', async (store) => {
      for (const namespace of [[], [''], ['a', ''], ['a.b'], ['langgraph', 'x'], [1 as unknown as string]])
        await expect(store.put(namespace, 'k', { v: 1 })).rejects.toThrow();
      expect(await store.search([])).toEqual([]);
    });

    test('refuses them in a batch too, and then does nothing of it', async (store) => {
      for (const namespace of [[], [''], ['a.b'], ['langgraph'], 'a', [1]]) {
        const operations = [
          { namespace: ['fine'], key: 'k', value: { v: 1 } },
          { namespace, key: 'k', value: { v: 1 } },
        ] as unknown as Operation[];
        await expect(store.batch(operations)).rejects.toThrow();
      }
      expect(await store.search([])).toEqual([]);
    });

    test('refuses keys and values that it could not give back', async (store) => {
      const cyclic: Record<string, unknown> = {};
      cyclic.self = cyclic;
      const refused = [
        'text',
        7,
        [1],
        true,
        new Map(),
        { at: 1n },
        { not: Number.NaN },
        { set: new Set() },
        cyclic,
      ];
      for (const value of refused)
        await expect(store.put(['a'], 'k', value as Record<string, unknown>)).rejects.toThrow();
      for (const key of ['', 1, null])
        await expect(store.put(['a'], key as string, { v: 1 })).rejects.toThrow();
      expect(await store.search([])).toEqual([]);
    });

    test('gives copies, and keeps none of the caller’s objects', async (store) => {
      const value = { list: [1], inner: { a: 1 } };
      const namespace = ['a'];
      await store.put(namespace, 'k', value);
      value.list.push(2);
      namespace.push('b');
      const item = (await store.get(['a'], 'k'))!;
      expect(item.value).toEqual({ list: [1], inner: { a: 1 } });
      item.value.inner.a = 7;
      item.namespace.push('x');
      const [found] = await store.search(['a']);
      found!.value.list = [];
      expect(await store.get(['a'], 'k')).toMatchObject({
        namespace: ['a'],
        value: { list: [1], inner: { a: 1 } },
      });
    });

    test('ranks by a query, the nearest first', async (store) => {
      await putAll(store, ['h'], HOBBIES);
      const found = await store.search(['h'], { query: 'baking bread in an oven' });
      expect(found).toHaveLength(3);
      expect(found[0]?.key).toBe('oven');
      const scores = found.map(({ score }) => score!);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores[0]).toBeGreaterThan(scores[1]!);
      expect((await store.search(['h'], { query: 'collect night moths', limit: 1 }))[0]?.key).toBe('moth');
    });

    test('has no scores where nothing was asked', async (store) => {
      await putAll(store, ['h'], HOBBIES);
      for (const { score } of await store.search(['h'])) expect(score).toBeUndefined();
    });

    test('ranks what passes the filter, page by page', async (store) => {
      await putAll(store, ['h'], HOBBIES);
      const query = 'baking bread in an oven';
      const all = (await store.search(['h'], { query })).map(({ key }) => key);
      const second = await store.search(['h'], { query, limit: 1, offset: 1 });
      expect(second.map(({ key }) => key)).toEqual([all[1]]);
      const filtered = await store.search(['h'], { query, filter: { note: { $ne: 'green' } } });
      expect(filtered.map(({ key }) => key).sort()).toEqual(['boat', 'moth']);
    });

    test('ranks a value anew once it is replaced', async (store) => {
      await putAll(store, ['h'], HOBBIES);
      await store.search(['h'], { query: 'oven' });
      await store.put(['h'], 'oven', { text: 'He repairs old clocks' });
      await store.put(['h'], 'boat', { text: 'She bakes bread in an oven' });
      expect((await store.search(['h'], { query: 'baking bread in an oven' }))[0]?.key).toBe('boat');
    });

    test('leaves out of the ranking what is not to be searched', async (store) => {
      await putAll(store, ['h'], HOBBIES);
      await store.put(['h'], 'hidden', { text: 'baking bread in an oven' }, false);
      const found = await store.search(['h'], { query: 'baking bread in an oven' });
      expect(found.map(({ key }) => key)).toEqual(['oven', expect.any(String), expect.any(String), 'hidden']);
      expect(found[3]?.score).toBeUndefined();
    });

    test('ranks by the fields that an item names', async (store) => {
      const value = (title: string, body: string) => ({ title, parts: [{ body }, { body: 'nothing' }] });
      await store.put(['d'], 'by-title', value('a lighthouse', 'a tortoise'), ['title']);
      await store.put(['d'], 'by-parts', value('a tortoise', 'a lighthouse'), ['parts[*].body']);
      await store.put(['d'], 'neither', value('a tortoise', 'a tortoise'), ['title', 'parts[0].body']);
      const first = async (query: string) => (await store.search(['d'], { query })).map(({ key }) => key);
      expect((await first('lighthouse')).slice(0, 2).sort()).toEqual(['by-parts', 'by-title']);
      expect((await first('tortoise'))[0]).toBe('neither');
    });

    test('lets the last of many writers of one key win', async (store) => {
      await Promise.all(Array.from({ length: 20 }, (_, at) => store.put(['n'], 'k', { at })));
      expect((await store.get(['n'], 'k'))?.value).toEqual({ at: 19 });
      expect(await store.search(['n'])).toHaveLength(1);
    });

    it('skips nothing but cases of this suite', () => {
      expect(Object.keys(skipped).filter((title) => !asked.has(title))).toEqual([]);
    });
  });
}

async function keysIn(
  store: BaseStore,
  prefix: string[],
  filter?: Record<string, unknown>,
): Promise<string[]> {
  const found = await store.search(prefix, { limit: 100, ...(filter === undefined ? {} : { filter }) });
  return found.map(({ key }) => key).sort();
}

async function putAll(
  store: BaseStore,
  namespace: string[],
  items: readonly (readonly [string, object])[],
): Promise<void> {
  for (const [key, value] of items) await store.put(namespace, key, { ...value });
}
