import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { DiskFullError, ForgettingStoppedError } from '../../../src/errors/index.ts';
import { checkMemory } from '../../../src/files/backup/check-memory.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import * as grouped from '../../engine/hierarchy/grouped-memory.ts';
import { diskFull, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { freshPath, graphOf, remember } from '../../engine/memory-fixture.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { expectWithout, idsOf, PLAIN, SECRET, SECRET_WORDS, session } from './forget-lab.ts';
import { embedder, grow, memoryWith, plainUpdate, treeOf } from './hierarchy-lab.ts';

/** A memory that has a hierarchy, opened anew over its store. */
async function grown({ update = plainUpdate, store = new InMemoryStore() as GraphStore } = {}) {
  const first = await memoryWith(store);
  await remember(first, [...SECRET, ...PLAIN]);
  const ids = await grow(store, await graphOf(first));
  return { store, ids, memory: await memoryWith(store, update) };
}

const findings = async (store: GraphStore) =>
  (await checkMemory({ store, snapshotFolder: null })).findings.map(({ what }) => what);
const nothing = async () => undefined;

describe('forgetting turns under a hierarchy', () => {
  it('leaves no word of them in a category, and marks the affected categories for an update', async () => {
    const { memory, store, ids } = await grown({ update: nothing });
    const before = await graphOf(memory);
    expect(treeOf(before, ids)['2 People']).toEqual({ name: 'People', isStale: false, children: 3 });
    expect(await findings(store)).toEqual([]);
    const report = await memory.forget({ session: 'secret' });
    await memory.settle();
    expect(report.proof).toMatchObject({ clean: true, findings: [] });
    const graph = await graphOf(memory);
    expectWithout(graph, SECRET_WORDS);
    expect(treeOf(graph, ids)).toEqual({
      '1 Quentin Marlowe': { name: null, isStale: true, children: 0 },
      '1 Speakers': { name: null, isStale: true, children: 2 },
      '1 Family': { name: null, isStale: true, children: 1 },
      '1 Towns': { name: null, isStale: true, children: 2 },
      '1 Pets': { name: 'Pets', isStale: false, children: 2 },
      '2 People': { name: null, isStale: true, children: 3 },
      '2 Places': { name: null, isStale: true, children: 1 },
      '2 Animals': { name: 'Animals', isStale: false, children: 1 },
    });
    expect(await findings(store)).toEqual([]);
    // Rows that went are those that are not there: categories lost a profile with two vectors each.
    const { profile, embedding } = report.removed;
    const gone = (kind: 'profile' | 'embedding') => {
      const left = new Set<string>(graph.nodes[kind].map(({ id }) => id));
      return before.nodes[kind].filter(({ id }) => !left.has(id)).length;
    };
    expect({ profile, embedding }).toEqual({ profile: gone('profile'), embedding: gone('embedding') });
  });

  it('is previewed with the affected categories', async () => {
    const { memory } = await grown();
    const preview = await memory.previewForget({ session: 'secret' });
    expect((await memory.forget({ session: 'secret' })).removed).toEqual(preview.counts);
  });

  it('ends with every category named again from the remaining data, and without empty ones', async () => {
    const { memory, store, ids } = await grown();
    await memory.forget({ session: 'secret' });
    await memory.settle();
    const graph = await graphOf(memory);
    expectWithout(graph, SECRET_WORDS);
    const tree = treeOf(graph, ids);
    expect(tree['1 Quentin Marlowe']).toBeUndefined();
    expect(tree['1 Family']).toEqual({ name: 'With Carla', isStale: false, children: 1 });
    expect(tree['2 People']).toMatchObject({ isStale: false, children: 2 });
    expect(tree['1 Pets']?.name).toBe('Pets');
    expect(Object.values(tree).every(({ name, isStale }) => name !== null && !isStale)).toBe(true);
    expect(await findings(store)).toEqual([]);
  });

  it('removes the summary of a stale category too, wherever it is: it may describe removed members', async () => {
    const { memory, store, ids } = await grown({ update: nothing });
    const pets = ids.get('1 Pets')!;
    await store.commit(memory.name, {
      updates: [{ kind: 'category', id: pets, set: { staleSince: 7 } }],
    });
    const again = await memoryWith(store, nothing);
    await again.forget({ session: 'secret' });
    await again.settle();
    const tree = treeOf(await graphOf(again), ids);
    expect(tree['1 Pets']).toEqual({ name: 'Pets', isStale: true, children: 2 });
    const { profile } = (await graphOf(again)).nodes;
    expect(profile.filter(({ owner }) => (owner as string) === pets).map(({ summary }) => summary)).toEqual([
      '',
    ]);
    expect(tree['2 Animals']?.name).toBe('Animals');
    expect((await store.get(memory.name, 'category', [pets]))[0]?.staleSince).toBe(7);
  });

  it('does not report what a stale category said after its only child, which stays', async () => {
    const store = new InMemoryStore();
    const first = await memoryWith(store);
    const more = session('more', ['Ann: Rex chased the postman.', 'Ann: Rex ate my shoes.'], 6);
    await remember(first, [...SECRET, ...PLAIN, ...more]);
    const graph = await graphOf(first);
    const ids = await grow(store, graph, { Rex: { of: ['Rex'], above: 'Animals' } });
    const rex = graph.nodes.profile.find(({ name, expiredAt }) => name === 'Rex' && expiredAt === null)!;
    expect(rex.summary).toMatch(/\. \w/); // of several facts, so that it stands nowhere else
    const owner = ids.get('1 Rex')! as typeof rex.owner;
    const before = (await graphOf(first)).nodes.profile.find((row) => row.owner === owner)!;
    await store.commit(first.name, {
      nodes: { profile: [{ ...before, id: 'promoted' as typeof rex.id, summary: rex.summary }] },
      updates: [{ kind: 'category', id: owner, set: { staleSince: 7 } }],
      removals: [{ kind: 'profile', id: before.id }],
    });
    const memory = await memoryWith(store, nothing);
    const { proof } = await memory.forget({ session: 'secret' });
    await memory.settle();
    expect(proof).toMatchObject({ clean: true, findings: [] });
    expect(treeOf(await graphOf(memory), ids)['1 Rex']).toMatchObject({ name: 'Rex', isStale: true });
  });

  it('costs nothing in a memory without categories', async () => {
    const store = new InMemoryStore();
    let asked = 0;
    const memory = await memoryWith(store, async () => void asked++);
    await remember(memory, [...SECRET, ...PLAIN]);
    await memory.forget({ session: 'secret' });
    await memory.settle();
    expect(asked).toBe(0);
  });
});

describe('forgetting an entity under a hierarchy', () => {
  it('removes it, entities named after it and statements about it from every category', async () => {
    const { memory, store, ids } = await grown();
    const report = await memory.forget({ entity: 'Quentin Marlowe' });
    await memory.settle();
    expect(report.proof).toMatchObject({ clean: true, findings: [] });
    const graph = await graphOf(memory);
    const profiles = JSON.stringify(graph.nodes.profile);
    expect(profiles).not.toContain('Marlowe');
    const tree = treeOf(graph, ids);
    expect(tree['1 Quentin Marlowe']).toBeUndefined();
    expect(tree['1 Family']).toEqual({ name: 'With Carla', isStale: false, children: 1 });
    expect(tree['1 Pets']?.name).toBe('Pets');
    expect(await findings(store)).toEqual([]);
  });
});

describe('forgetting something that other categories are named after', () => {
  /** Names some groups after what it is shown beside them. */
  const naming = () =>
    new FakeLanguageModel(({ name, system, user }) => {
      if (name !== 'categorize-nodes') return {};
      const lines = user.split('\n').filter((line) => /^\d/.test(line));
      const group = (category: string, which: RegExp) => {
        const nodes = lines.flatMap((line, at) => (which.test(line) ? [at + 1] : []));
        return { category, tags: [], nodes };
      };
      if (/layer 2/.test(system)) return { categories: [group('Household', /belongings|kitchen|Tools/i)] };
      const whose = /Zorbax/.test(user) ? 'Zorbax belongings' : 'Belongings';
      return {
        categories: [
          group(whose, /leash|ball|basket/),
          group('Curry kitchen', /pan|spoon|pot/),
          group('Tools', /hammer|drill|wrench/),
          group('Animals', /Zorbax|cat|dog|parrot/),
          group('Meals', /curry|rice|soup|bread/),
          // Of fewer than eight categories a model is not asked for a layer above them.
          group('Fruit', /apple|pear|plum/),
          group('Instruments', /drum|flute|violin/),
          group('Flowers', /tulip|rose|lily/),
        ],
      };
    });
  const bought = (things: string) => things.split(' ').map((thing) => `I bought a ${thing}.`);
  const KEPT = [
    ...bought('leash ball basket cat dog parrot pan spoon pot hammer drill wrench'),
    ...bought('apple pear plum drum flute violin tulip rose lily'),
    ...['I love rice.', 'I love soup.', 'I love bread.', 'That curry was great.'],
  ];

  async function household(target: { session: string } | { entity: string }) {
    const profile = { ...profileNamed('local'), hierarchy: 'model' as const };
    const engine = await grouped.openGrouped(':memory:', { languageModel: naming(), profile });
    const memory = engine.scope('a');
    const goes = grouped.session('z', 'I love Zorbax. I love curry.', 9);
    await memory.add([...grouped.session('x', KEPT.join(' ')), ...goes]);
    await memory.flush();
    const before = await grouped.categoriesOf(memory);
    const { proof } = await memory.forget(target);
    await memory.settle();
    const after = await grouped.categoriesOf(memory);
    const graph = await graphOf(memory);
    return { engine, memory, before, proof, after, graph };
  }

  it('removes the name and keeps the category, which the next flush names again', async () => {
    const { engine, memory, before, proof, graph } = await household({ session: 'z' });
    const [id] = before['1 Zorbax belongings']!;
    expect(proof).toMatchObject({ clean: true, findings: [] });
    expectWithout(graph, ['Zorbax']);
    const profiles = (owner: string) =>
      graph.nodes.profile.filter((each) => (each.owner as string) === owner);
    expect(profiles(id)).toEqual([]);
    // What sums it up by name keeps its own.
    const [above] = before['2 Household']!;
    expect(profiles(above)).toMatchObject([{ name: 'Household', summary: '' }]);
    await memory.flush();
    expect((await grouped.categoriesOf(memory))['1 Belongings']).toEqual([id, ['ball', 'basket', 'leash']]);
    await engine.close();
  });

  it('keeps a name that other turns contain as well', async () => {
    const { engine, before, after, graph } = await household({ session: 'z' });
    expect(graph.nodes.profile.map(({ name }) => name)).not.toContain('curry');
    expect(after['1 Curry kitchen']).toEqual(before['1 Curry kitchen']);
    await engine.close();
  });

  it('removes the name with an entity, though turns that name it stay', async () => {
    const { engine, after, graph } = await household({ entity: 'Zorbax' });
    expect(graph.nodes.profile.filter(({ name }) => name.includes('Zorbax'))).toEqual([]);
    expect(after['1 Curry kitchen']).toBeDefined();
    await engine.close();
  });
});

it('forgetting everything leaves no category and no record of the hierarchy, and needs no update', async () => {
  let asked = 0;
  const { memory, store } = await grown({ update: async () => void asked++ });
  const { hierarchy, category } = await store.count(memory.name);
  expect({ hierarchy, category }).toEqual({ hierarchy: 1, category: 8 });
  const report = await memory.forget({ all: true });
  expect(report).toMatchObject({ removed: { category: 8, hierarchy: 1 }, proof: { clean: true } });
  const { tombstone: _, correction: __, ...rest } = await store.count(memory.name);
  expect(Object.entries(rest).filter(([, count]) => count > 0)).toEqual([]);
  expect(asked).toBe(0);
});

describe('an interrupted forgetting', () => {
  /** More turns than one step removes; none but these speak of the zither. */
  const LONG = session(
    'long',
    Array.from({ length: 620 }, (_, at) => `Ann: I take zither lesson ${at}.`),
    5,
  );

  it('clears the categories in its first step, and updates them in the last', async () => {
    const watched = watchedStore();
    const first = await memoryWith(watched.store);
    await remember(first, [...LONG, ...PLAIN]);
    const plan = {
      Zithers: { of: ['zither'], above: 'Instruments' },
      Pets: { of: ['Rex'], above: 'Animals' },
    };
    const ids = await grow(watched.store, await graphOf(first), plan);
    let asked = 0;
    const memory = await memoryWith(watched.store, async (...input) => {
      asked++;
      await plainUpdate(...input);
    });
    const done = watched.commits.length + 1;
    watched.before = () => {
      if (watched.commits.length >= done) diskFull();
    };
    await expect(memory.forget({ session: 'long' })).rejects.toThrow(ForgettingStoppedError);
    const profiles = [];
    for await (const batch of watched.store.scan(memory.name, 'profile')) profiles.push(...batch);
    const owners = new Set<string>(profiles.map(({ owner }) => owner));
    expect([ids.get('1 Zithers')!, ids.get('2 Instruments')!].filter((id) => owners.has(id))).toEqual([]);
    expect(owners.has(ids.get('1 Pets')!)).toBe(true);
    expect(await findings(watched.store)).toEqual(['1 forgettings are unfinished']);
    expect(asked).toBe(0);
    watched.before = () => undefined;
    const again = await memoryWith(watched.store, async (...input) => {
      asked++;
      await plainUpdate(...input);
    });
    await again.search('zither');
    await again.settle();
    expect(asked).toBe(1);
    const graph = await graphOf(again);
    expectWithout(graph, ['zither']);
    expect(treeOf(graph, ids)).toEqual({
      '1 Pets': { name: 'Pets', isStale: false, children: 1 },
      '2 Animals': { name: 'Animals', isStale: false, children: 1 },
    });
  });

  it('is completed later if the update fails, and shows nothing of it until then', async () => {
    const { store, ids } = await grown();
    const failing = await memoryWith(store, async () => diskFull());
    await failing.forget({ session: 'secret' });
    await expect(failing.settle()).rejects.toThrow(DiskFullError);
    const { episodes, entities, facts } = await failing.search('zither lessons in Oslo');
    expect(episodes.length).toBeGreaterThan(0);
    for (const word of SECRET_WORDS) expect(JSON.stringify([episodes, entities, facts])).not.toContain(word);
    const again = await memoryWith(store, plainUpdate);
    await again.settle();
    const graph = await graphOf(again);
    expectWithout(graph, SECRET_WORDS);
    expect(treeOf(graph, ids)['1 Family']?.name).toBe('With Carla');
    expect(graph.nodes.correction).toMatchObject([{ kind: 'forget', finishedAt: expect.any(Number) }]);
  });
});

/** Of every file of a memory: database, log, index snapshots. */
function bytesOf(path: string): Buffer {
  const all: Buffer[] = [];
  const visit = (file: string) => {
    if (statSync(file).isDirectory()) for (const name of readdirSync(file)) visit(join(file, name));
    else all.push(readFileSync(file));
  };
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(basename(path))) visit(join(dirname(path), name));
  return Buffer.concat(all);
}

it('leaves no byte of it in a compacted file, and keeps the other categories', async () => {
  const path = freshPath();
  const open = () => Mnemis.open({ path, embedder, automatic: false });
  const first = await open();
  await remember(first.scope('a'), [...SECRET, ...PLAIN]);
  await first.scope('a').hierarchy.update();
  await first.close();
  const engine = await open();
  const memory = engine.scope('a');
  const before = await graphOf(memory);
  const categories = ({ nodes }: typeof before) => {
    const ids = new Set<string>(nodes.category.map(({ id }) => id));
    return nodes.profile.filter(({ owner }) => ids.has(owner));
  };
  const told = JSON.stringify(categories(before));
  expect(['Quentin', 'Ghent', 'Lisbon', 'Rex'].filter((word) => !told.includes(word))).toEqual([]);
  expect((await engine.verify()).findings).toEqual([]);
  expect((await memory.forget({ session: 'secret' })).proof).toMatchObject({ clean: true, findings: [] });
  await memory.settle();
  const after = await graphOf(memory);
  expectWithout(after, SECRET_WORDS);
  expect(JSON.stringify(categories(after))).toContain('Lisbon');
  await engine.compact();
  expect((await engine.verify()).findings).toEqual([]);
  await engine.close();
  const bytes = bytesOf(path);
  expect(SECRET_WORDS.filter((word) => bytes.includes(word))).toEqual([]);
  expect(bytes.includes('beagle')).toBe(true);
});

it('re-derivation does not change the hierarchy', async () => {
  const store = new InMemoryStore();
  const first = await memoryWith(store);
  await remember(first, [...SECRET, ...PLAIN]);
  const ids = await grow(store, await graphOf(first));
  const memory = await memoryWith(store, undefined, { rederives: true });
  const before = treeOf(await graphOf(memory), ids);
  const [clinic] = await idsOf(memory, 'clinic');
  // The turns beside it are read again at once, and entities told of anew.
  await memory.forget({ episode: clinic! });
  await memory.settle();
  expect((await memory.stats()).enrichment.pending).toBe(0);
  const graph = await graphOf(memory);
  expect(graph.nodes.profile.some(({ name }) => name === 'Quentin Marlowe')).toBe(true);
  const after = treeOf(graph, ids);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const untouched of ['1 Pets', '2 Animals']) expect(after[untouched]).toEqual(before[untouched]);
  expect(after['1 Quentin Marlowe']).toEqual({ name: null, isStale: true, children: 1 });
  expect(await findings(store)).toEqual([]);
});
