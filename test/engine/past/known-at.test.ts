import { afterEach, describe, expect, it, vi } from 'vitest';
import { paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import { entityHistory } from '../../../src/browse/history/entity-history.ts';
import { countThen, EndsThen } from '../../../src/engine/past/known-then.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import type { RowUpdate } from '../../../src/model/graph-changes.ts';
import type { FactId } from '../../../src/model/ids.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import { day, HandMade, HEARD, noraStory } from '../../browse/history/hand-made.ts';
import { edge, entity, episode, fact, profile, segment } from '../../contract/graph-rows.ts';
import { seededRandom } from '../../search/random.ts';
import { freshPath, withoutTime } from '../memory-fixture.ts';

const nora = await noraStory();
afterEach(() => vi.useRealTimers());

const DAY = 86_400_000;

describe('knownAt', () => {
  it('shows facts as memory held them', async () => {
    const { facts } = await nora.search('Where does Nora live?', { knownAt: HEARD.work });
    expect(facts.map(({ id, invalidAt }) => [id, invalidAt]).sort()).toEqual([
      ['f-near', null],
      ['f-work', null],
      ['f1', null],
    ]);
    const later = await nora.search('Where does Nora live?', {
      knownAt: HEARD.antwerp,
      recipe: paperRecipeNamed('system1-paper'),
    });
    expect(later.facts.map(({ id, invalidAt }) => [id, invalidAt]).sort()).toEqual([
      ['f-near', day('2020-06-01')],
      ['f-work', null],
      ['f1', day('2020-06-01')],
      ['f2', null],
    ]);
  });

  it.each([
    [HEARD.oslo - 1, []],
    [HEARD.oslo, ['f1']],
    [HEARD.antwerp - 1, ['f1']],
    [HEARD.antwerp, ['f2']],
    [HEARD.ghent - 1, ['f2']],
    [HEARD.ghent, ['f3']],
  ])('%d: %j', async (knownAt, expected) => {
    const { facts } = await nora.search('lives in', { knownAt });
    const homes = facts.map(({ id }) => id).filter((id) => /^f\d$/.test(id));
    expect(homes).toEqual(expected);
  });

  it('shows the turns, entities and profiles of that time', async () => {
    const { episodes, entities } = await nora.search('Where does Nora live?', { knownAt: HEARD.antwerp });
    expect(episodes.map(({ id }) => id).sort()).toEqual(['t1', 't2', 't3']);
    const { summary, sources } = entities.find(({ name }) => name === 'Nora')!;
    expect([summary, sources.map((source) => source.episode)]).toEqual([
      'Nora lives in Oslo.',
      ['t1', 't2', 't3'],
    ]);
    expect(entities.map(({ name }) => name)).not.toContain('Ghent');
  });

  it('believes a fact until it was corrected', async () => {
    const cat = async (knownAt?: number) =>
      (
        await nora.search('What is the cat called?', { knownAt, recipe: paperRecipeNamed('system1-paper') })
      ).facts
        .map(({ statement, invalidAt }) => [/Mil[ao]/.exec(statement)?.[0], invalidAt])
        .filter(([name]) => name);
    expect(await cat(HEARD.corrected - 1)).toEqual([['Milo', null]]);
    expect(await cat(HEARD.corrected)).toEqual([['Mila', null]]);
    expect(await cat()).toEqual([['Mila', null]]);
  });

  it('can be combined with asOf: what memory knew at one time about another', async () => {
    const homes = async (asOf: string, knownAt: number) =>
      (await nora.search('lives in', { asOf, knownAt })).facts
        .map(({ id }) => id as string)
        .filter((id) => /^f\d$/.test(id));
    expect(await homes('2021-01-01', HEARD.work)).toEqual(['f1']);
    expect(await homes('2021-01-01', HEARD.antwerp)).toEqual(['f2']);
    expect(await homes('2019-01-01', HEARD.ghent)).toEqual(['f1']);
    expect(await homes('2018-01-01', HEARD.ghent)).toEqual([]);
  });

  it('finds a turn in its old version, by its words and by its vector', async () => {
    const memory = new HandMade();
    const version = (id: string, content: string, createdAt: number) =>
      episode(id, { content, createdAt, validAt: 5, status: 'extracted' });
    await memory.commit({ nodes: { episode: [version('t1', 'My cat is a heron.', 10)] } });
    await memory.commit({
      nodes: { episode: [version('t2', 'My cat is an osprey.', 20)] },
      updates: [{ kind: 'episode', id: 't1', set: { expiredAt: 20 } }],
    });
    for (const recipe of ['system1-lexical', 'system1-vector']) {
      const found = async (knownAt: number) =>
        (await memory.search('heron', { knownAt, recipe })).episodes.map(({ content }) => content);
      expect(await found(19)).toEqual(['My cat is a heron.']);
      expect(await found(20)).not.toContain('My cat is a heron.');
    }
  });

  it('ignores mentions from before a turn was read', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        entity: [entity('e', { createdAt: 1 })],
        profile: [profile('p', { owner: 'e' as never, name: 'Kiwi' })],
        episode: ['t1', 't2', 't3'].map((id, index) => episode(id, { index, createdAt: 10 })),
        segment: [segment('s1', { createdAt: 20 })],
      },
      // The third was added without a segment, as statements of others are.
      relationships: ['t1', 't3']
        .map((id) => edge('MENTIONS', id, 'e'))
        .concat(edge('IN_SEGMENT', 't1', 's1')),
    });
    await memory.commit({
      nodes: { segment: [segment('s2', { createdAt: 30 })] },
      relationships: [
        edge('MENTIONS', 't2', 'e'),
        edge('IN_SEGMENT', 't2', 's2'),
        edge('IN_SEGMENT', 't1', 's2'),
      ],
      updates: [{ kind: 'segment', id: 's1', set: { expiredAt: 30 } }],
    });
    const sources = async (knownAt: number) =>
      (await memory.search('kiwi', { knownAt })).entities[0]!.sources.map((source) => source.episode);
    expect(await sources(15)).toEqual(['t3']);
    expect(await sources(20)).toEqual(['t1', 't3']);
    expect(await sources(30)).toEqual(['t1', 't2', 't3']);
  });

  it('takes that time for the present', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: { fact: [fact('f', { statement: 'kiwi', validAt: 10, invalidAt: 30, createdAt: 5 })] },
    });
    const found = async (knownAt?: number) => (await memory.search('kiwi', { knownAt })).facts.length;
    expect([await found(29), await found(30), await found()]).toEqual([1, 0, 0]);
    const { text } = await memory.ask('kiwi', { knownAt: 29 });
    expect(text).toBe('kiwi. [1]');
  });

  it('never mixes scopes', async () => {
    const other = new HandMade('b', nora.store);
    await other.commit({
      nodes: { fact: [fact('b1', { statement: 'Nora lives in Rome', createdAt: HEARD.oslo })] },
    });
    for (const times of [{}, { knownAt: HEARD.ghent }, { asOf: '2024-06-01' }]) {
      expect((await other.search('Nora lives', times)).facts.map(({ id }) => id)).toEqual(['b1']);
      expect((await nora.search('Nora lives', times)).facts.map(({ id }) => id)).not.toContain('b1');
    }
  });

  it('answers as it would have answered then', async () => {
    const text = async (knownAt: number) => (await nora.ask('Where does Nora live?', { knownAt })).text;
    expect(await text(HEARD.antwerp)).toMatch(/^Nora lives in Antwerp/);
    // Oslo was known then, as what had held before; Ghent was told later.
    expect(await text(HEARD.antwerp)).not.toContain('Nora lives in Oslo');
    expect(await text(HEARD.antwerp)).toContain('Antwerp. [1] (since 1 June 2020; before: Oslo [2])');
    expect(await text(HEARD.antwerp)).not.toContain('Ghent');
    expect(await text(HEARD.work)).toContain('Nora lives in Oslo');
    expect((await nora.ask('Where does Nora live?', { knownAt: HEARD.oslo - 1 })).answered).toBe(false);
  });
});

describe('the index of a past time', () => {
  it('is kept while it is used and nothing is written', async () => {
    const memory = await noraStory();
    const first = await memory.known.load(HEARD.work);
    expect(await memory.known.load(HEARD.work)).toBe(first);
    const other = await memory.known.load(HEARD.ghent);
    expect(other).not.toBe(first);
    expect(await memory.known.load(HEARD.ghent)).toBe(other);
    await memory.commit({ nodes: { fact: [fact('late', { createdAt: HEARD.work })] } });
    const again = await memory.known.load(HEARD.ghent);
    expect(again.index.facts.ids.ordinalOf('late')).toBeDefined();
    memory.known.drop();
    expect(await memory.known.load(HEARD.ghent)).not.toBe(again);
  });

  it('is released after five minutes without use', async () => {
    const memory = await noraStory();
    vi.useFakeTimers();
    const first = await memory.known.load(HEARD.work);
    vi.advanceTimersByTime(4 * 60_000);
    expect(await memory.known.load(HEARD.work)).toBe(first);
    vi.advanceTimersByTime(4 * 60_000);
    expect(await memory.known.load(HEARD.work)).toBe(first);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await memory.known.load(HEARD.work)).not.toBe(first);
  });
});

describe('EndsThen', () => {
  const old = (more: Partial<Fact>) => fact('old', { validAt: 10, ...more });
  const by = (createdAt: number, validAt: number) => ({ createdAt, validAt });
  it.each([
    ['nothing ended it', { invalidAt: null }, [by(5, 20)], null],
    ['it came with its end', { invalidAt: 30 }, [], 30],
    ['it came with an end earlier than what superseded it', { invalidAt: 30 }, [by(200, 40)], 30],
    ['it was ended by then', { invalidAt: 20 }, [by(50, 20)], 20],
    ['it was ended later', { invalidAt: 20 }, [by(200, 20)], null],
    ['it was ended earlier and again later', { invalidAt: 15 }, [by(50, 20), by(200, 15)], 20],
    ['the later one changed nothing', { invalidAt: 15 }, [by(50, 15), by(200, 20)], 15],
    ['a later one that began before it', { invalidAt: 10 }, [by(200, 5)], null],
    ['a correction to come', { invalidAt: 10 }, [by(200, 90)], null],
    ['exactly then', { invalidAt: 20 }, [by(100, 20)], 20],
  ])('%s', (_, row, superseding, expected) => {
    expect(new EndsThen(100, new Map([['old', superseding]])).of(old(row))).toBe(expected);
  });
});

/** A memory that keeps a copy of all that it holds after each commit: what `knownAt` must bring back. */
async function randomMemory(seed: number) {
  const random = seededRandom(seed);
  const memory = new HandMade();
  const time = () => Math.floor(random() * 50);
  const copies = new Map<number, readonly Fact[]>();
  const held = new Map<string, Fact>();
  for (let now = 100; now < 140; now++) {
    const updates: RowUpdate[] = [];
    const set = (id: FactId, more: Partial<Fact>) => {
      updates.push({ kind: 'fact', id, set: more });
      held.set(id, { ...held.get(id)!, ...more });
    };
    const superseded: Fact[] = [];
    for (const each of [...held.values()].filter(() => random() < 0.08)) {
      if (random() < 0.3) {
        updates.push({ kind: 'fact', id: each.id, set: { expiredAt: now } });
        held.delete(each.id);
      } else if (each.invalidAt === null || each.relation === 'superseded') superseded.push(each);
    }
    const own = random() < 0.3;
    const validAt = time();
    const row = fact(`f${now}`, {
      statement: `kiwi ${now}`,
      relation: own ? 'own end' : 'superseded',
      validAt,
      invalidAt: own ? validAt + time() : null,
      createdAt: now,
    });
    for (const { id, validAt: begun, invalidAt } of superseded) {
      if (random() < 0.2) {
        updates.push({ kind: 'fact', id, set: { invalidAt: begun, expiredAt: now } });
        held.delete(id);
      } else
        set(id, { invalidAt: Math.min(invalidAt ?? Number.POSITIVE_INFINITY, Math.max(begun + 1, validAt)) });
    }
    held.set(row.id, row);
    const relationships = superseded.map(({ id }) => edge('SUPERSEDES', row.id, id));
    await memory.commit({ nodes: { fact: [row] }, relationships, updates });
    copies.set(now, [...held.values()]);
  }
  return { memory, copies, time };
}

it.each([1, 2, 3, 4])('at random restores every fact with its former end, and no other: %i', async (seed) => {
  const { memory, copies, time } = await randomMemory(seed);
  for (const [knownAt, facts] of copies) {
    if (knownAt % 3 !== 0) continue;
    const pairs = (rows: readonly Pick<Fact, 'id' | 'invalidAt'>[]) =>
      rows.map(({ id, invalidAt }) => [id, invalidAt]).sort();
    const any = await memory.search('kiwi', { knownAt, k: 100, recipe: paperRecipeNamed('system1-paper') });
    expect(pairs(any.facts)).toEqual(pairs(facts));
    const asOf = time();
    const then = await memory.search('kiwi', { knownAt, asOf, k: 100 });
    const expected = facts.filter(
      ({ validAt, invalidAt }) => validAt <= asOf && (invalidAt === null || invalidAt > asOf),
    );
    expect(pairs(then.facts)).toEqual(pairs(expected));
  }
});

it('times are parsed like the times of turns', async () => {
  const text = await nora.search('lives in', { knownAt: '2020-06-02' });
  const date = await nora.search('lives in', { knownAt: new Date(HEARD.antwerp) });
  expect(text.facts).toEqual(date.facts);
  expect(text.facts.length).toBeGreaterThan(0);
  const before = await nora.search('lives in', { knownAt: HEARD.antwerp - DAY });
  expect(before.facts).not.toEqual(text.facts);
});

it('a memory on disk answers queries about the past as one in memory does', async () => {
  const store = await openStoreAt(freshPath());
  const kept = await noraStory(new HandMade('a', store));
  for (const times of [
    {},
    { asOf: '2019-06-01' },
    { knownAt: HEARD.antwerp },
    { knownAt: HEARD.corrected - 1, asOf: '2021-06-01' },
  ]) {
    const [onDisk, inMemory] = [
      await kept.search('Nora lives', times),
      await nora.search('Nora lives', times),
    ];
    expect(withoutTime(onDisk)).toEqual(withoutTime(inMemory));
    expect(onDisk.facts.length).toBeGreaterThan(0);
    const ask = async (memory: HandMade) => (await memory.ask('Where does Nora live?', times)).text;
    expect(await ask(kept)).toBe(await ask(nora));
  }
  expect(await entityHistory(kept.context, 'nora')).toEqual(await entityHistory(nora.context, 'nora'));
  const then = { asOf: day('2019-06-01'), knownAt: HEARD.ghent };
  expect(await countThen(kept.context, then)).toEqual(await countThen(nora.context, then));
  await store.close();
});
