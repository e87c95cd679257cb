import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CategoryTree } from '../../../src/engine/hierarchy/browse-hierarchy.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { verifyMemory } from '../../../src/files/backup/verify.ts';
import { freshPath, graphOf, remember } from '../memory-fixture.ts';
import {
  categoriesOf,
  FOOD,
  idsOf,
  MUSIC,
  openGrouped,
  PETS,
  rulesBrokenIn,
  session,
} from './grouped-memory.ts';

const ALL = [...FOOD, ...PETS, ...MUSIC];

async function withMemory<T>(
  path: string,
  job: (memory: MemoryScope, engine: Mnemis) => Promise<T>,
): Promise<T> {
  await using engine = await openGrouped(path);
  return await job(engine.scope('a'), engine);
}

const namesIn = (tree: readonly CategoryTree[]): string[] =>
  tree.flatMap(({ name, children }) => [name, ...namesIn(children)]);

describe('the hierarchy of a memory on disk', () => {
  it('exists after a flush, and is the same after reopening, with a snapshot and without', async () => {
    const path = freshPath();
    const first = await withMemory(path, async (memory) => {
      await memory.add(ALL);
      expect(await memory.hierarchy.tree()).toEqual([]);
      const { hierarchy } = await memory.flush();
      expect(hierarchy).toMatchObject({ mode: 'update', layers: [6, 4], counts: { dissolved: 0, stale: 0 } });
      const categories = await categoriesOf(memory);
      expect(categories['1 Animals']?.[1]).toEqual(['cat', 'dog', 'parrot', 'rabbit']);
      expect(categories['2 Food']?.[1]).toEqual(['Dishes', 'bread', 'cheese']);
      expect(await rulesBrokenIn(memory)).toEqual([]);
      return { tree: await memory.hierarchy.tree(), status: await memory.hierarchy.status() };
    });
    expect(first.tree.map(({ name }) => name)).toEqual(['Food', 'Animals', 'Instruments', 'Ann']);
    expect(first.status).toMatchObject({ entities: 14, layers: [6, 4], waiting: 0, stale: 0 });
    for (const isWithout of [false, true]) {
      if (isWithout) rmSync(`${path}.indexes`, { recursive: true });
      const again = await withMemory(path, async (memory) => {
        const tree = await memory.hierarchy.tree();
        expect((await memory.flush()).hierarchy).toMatchObject({
          counts: { created: 0, placed: 0 },
        });
        return { tree, status: await memory.hierarchy.status() };
      });
      expect(again).toEqual(first);
    }
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('places new entities, and keeps all other ids', async () => {
    const path = freshPath();
    await withMemory(path, async (memory) => {
      await remember(memory, ALL);
      const before = await idsOf(memory);
      await remember(memory, session('more', 'I bought a zebra. I love the cello. I love lasagna.', 12));
      const after = await categoriesOf(memory);
      expect(after['1 Animals']?.[1]).toContain('zebra');
      expect(after['1 Instruments']?.[1]).toContain('cello');
      expect(after['1 Dishes']?.[1]).toContain('lasagna');
      expect(await idsOf(memory)).toEqual(before);
      await remember(memory, session('town', 'I visited Oslo. I visited Lisbon. I visited Vienna.', 13));
      expect(await idsOf(memory)).toMatchObject(before);
      expect(await rulesBrokenIn(memory)).toEqual([]);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('shrinks and dissolves after forgetting, and keeps no forgotten word', async () => {
    const path = freshPath();
    await withMemory(path, async (memory) => {
      await remember(memory, [...ALL, ...session('secret', 'I bought a zebra. I bought a lizard.', 14)]);
      const before = await idsOf(memory);
      await memory.forget({ session: 'secret' });
      await memory.settle();
      expect((await categoriesOf(memory))['1 Animals']).toEqual([
        before['1 Animals'],
        ['cat', 'dog', 'parrot', 'rabbit'],
      ]);
      const report = await memory.forget({ session: 'music' });
      expect(report.proof).toMatchObject({ clean: true });
      await memory.settle();
      const graph = JSON.stringify(await graphOf(memory));
      for (const word of ['zebra', 'lizard', 'guitar', 'violin', 'Instruments'])
        expect(graph).not.toContain(word);
      const { '1 Instruments': _one, '2 Instruments': _two, ...rest } = before;
      expect(await idsOf(memory)).toEqual(rest);
      expect(namesIn(await memory.hierarchy.tree())).not.toContain('Instruments');
      expect(await memory.hierarchy.status()).toMatchObject({ entities: 10, waiting: 0 });
      expect(await rulesBrokenIn(memory)).toEqual([]);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('belongs to one scope', async () => {
    const path = freshPath();
    await withMemory(path, async (memory, engine) => {
      const other = engine.scope('b');
      await remember(memory, PETS);
      await remember(other, MUSIC);
      const [animals] = (await categoriesOf(memory))['1 Animals']!;
      expect(namesIn(await memory.hierarchy.tree())).toContain('parrot');
      expect(namesIn(await other.hierarchy.tree())).not.toContain('parrot');
      expect([...(await other.hierarchy.summaries([animals]))]).toEqual([]);
      await expect(other.hierarchy.tree({ of: animals })).rejects.toBeInstanceOf(InvalidInputError);
      await expect(other.hierarchy.tree({ of: 'Animals' })).rejects.toBeInstanceOf(InvalidInputError);
      const found = await other.search('Which animals are there?', { recipe: 'mnemis-local' });
      expect(JSON.stringify(found)).not.toContain('parrot');
      await other.forget({ all: true });
      expect(namesIn(await memory.hierarchy.tree())).toContain('parrot');
      expect(await other.hierarchy.tree()).toEqual([]);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('is restored from an archive, and with new ids as another one', async () => {
    const archive = freshPath('.jsonl');
    const { tree, categories } = await withMemory(freshPath(), async (memory) => {
      await remember(memory, ALL);
      await memory.exportTo(archive);
      return { tree: await memory.hierarchy.tree(), categories: await categoriesOf(memory) };
    });
    const path = freshPath();
    await withMemory(path, async (memory, engine) => {
      await memory.importFrom(archive);
      expect(await memory.hierarchy.tree()).toEqual(tree);
      expect((await memory.flush()).hierarchy).toMatchObject({ counts: { created: 0, placed: 0 } });
      const copy = engine.scope('copy');
      await copy.importFrom(archive, { newIds: true });
      const copied = await categoriesOf(copy);
      const childrenIn = (of: typeof categories) =>
        Object.fromEntries(Object.entries(of).map(([name, [, children]]) => [name, children]));
      expect(childrenIn(copied)).toEqual(childrenIn(categories));
      expect(copied['1 Animals']?.[0]).not.toBe(categories['1 Animals']?.[0]);
      expect(await rulesBrokenIn(copy)).toEqual([]);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });
});

describe('the hierarchy with corrections', () => {
  const entity = async (memory: MemoryScope, name: string) => (await memory.history({ entity: name })).entity;

  it('keeps its rules when entities are merged, and when that is undone', async () => {
    const path = freshPath();
    await withMemory(path, async (memory) => {
      await remember(memory, ALL);
      const before = await categoriesOf(memory);
      const { correction } = await memory.corrections.mergeEntities(
        await entity(memory, 'dog'),
        await entity(memory, 'rabbit'),
      );
      await memory.flush();
      expect((await categoriesOf(memory))['1 Animals']?.[1]).toEqual(['cat', 'dog', 'parrot']);
      expect(await rulesBrokenIn(memory)).toEqual([]);
      await memory.corrections.undo(correction);
      await memory.flush();
      expect(await rulesBrokenIn(memory)).toEqual([]);
      expect(await categoriesOf(memory)).toEqual(before);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('keeps its rules when an entity is split, and when that is undone', async () => {
    const path = freshPath();
    await withMemory(path, async (memory) => {
      await remember(memory, [...ALL, ...session('two', 'I bought a dog.', 20)]);
      const before = await categoriesOf(memory);
      const episode = (await graphOf(memory)).nodes.episode.find((row) => row.session === 'two')!;
      const { correction } = await memory.corrections.splitEntity(await entity(memory, 'dog'), {
        ...{ name: 'zebra', episodes: [episode.id] },
      });
      await memory.flush();
      expect((await categoriesOf(memory))['1 Animals']?.[1]).toContain('zebra');
      expect(await rulesBrokenIn(memory)).toEqual([]);
      await memory.corrections.undo(correction);
      await memory.flush();
      expect(await rulesBrokenIn(memory)).toEqual([]);
      expect(await categoriesOf(memory)).toEqual(before);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });
});

describe('the summary of a category', () => {
  /** "Animals", of whose parrot something more has come to light. */
  const stale = async (memory: MemoryScope) => {
    await remember(memory, ALL);
    await remember(memory, session('later', 'I sold the parrot.', 15));
    return (await categoriesOf(memory))['1 Animals']![0];
  };
  const stored = async (memory: MemoryScope, id: string) =>
    (await graphOf(memory)).nodes.profile.find(({ owner }) => (owner as string) === id)!.summary;

  it('is up to date when it is shown, and stored so by a refresh', async () => {
    const path = freshPath();
    await withMemory(path, async (memory) => {
      const animals = await stale(memory);
      expect((await memory.hierarchy.status()).stale).toBeGreaterThan(0);
      expect(await stored(memory, animals)).not.toContain('sold the parrot');
      const told = (await memory.hierarchy.summaries([animals])).get(animals);
      expect(told).toContain('Ann sold the parrot');
      const { entities } = await memory.search('Which animals does Ann have?', {
        recipe: 'system2-local',
        k: 50,
      });
      const shown = entities.filter(({ id }) => id === animals);
      expect(shown.map(({ summary }) => summary)).toEqual([told]);
      expect(await stored(memory, animals)).not.toContain('sold the parrot');
      expect(await memory.hierarchy.refresh()).toBeGreaterThan(0);
      expect(await stored(memory, animals)).toBe(told);
      expect((await memory.hierarchy.status()).stale).toBe(0);
      expect(await memory.hierarchy.refresh()).toBe(0);
      expect(await memory.hierarchy.refresh({ all: true })).toBe(10);
      await expect(memory.hierarchy.refresh({ by: 'model' })).rejects.toBeInstanceOf(InvalidInputError);
    });
    await withMemory(path, async (memory) => {
      expect((await memory.hierarchy.status()).stale).toBe(0);
    });
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('is rewritten only if at least the given share has changed', async () => {
    await withMemory(freshPath(), async (memory) => {
      const animals = await stale(memory);
      // One of the four animals has news, and all of what stands for Ann alone, in both layers.
      expect(await memory.hierarchy.refresh({ least: 0.3 })).toBe(2);
      expect(await stored(memory, animals)).not.toContain('sold the parrot');
      expect(await memory.hierarchy.refresh({ least: 0.2 })).toBe(2);
      expect(await stored(memory, animals)).toContain('sold the parrot');
      expect((await memory.hierarchy.status()).stale).toBe(0);
      for (const least of [-0.1, 1.1, Number.NaN])
        await expect(memory.hierarchy.refresh({ least })).rejects.toBeInstanceOf(InvalidInputError);
    });
  });

  it('does not affect queries about the past', async () => {
    await withMemory(freshPath(), async (memory) => {
      await remember(memory, PETS);
      const then = Date.now();
      await stale(memory);
      for (const recipe of ['mnemis-local', 'system2-local'])
        for (const times of [{ asOf: '2023-05-09T23:00:00Z' }, { knownAt: new Date(then) }]) {
          const { entities, episodes } = await memory.search('Which animals does Ann have?', {
            recipe,
            ...times,
          });
          expect(JSON.stringify([entities, episodes])).not.toContain('sold');
        }
    });
  });
});
