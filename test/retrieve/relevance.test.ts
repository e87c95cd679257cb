import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InvalidInputError, type MemoryScope, type Mnemis } from '../../src/index.ts';
import { contents, open, remember } from '../engine/memory-fixture.ts';

let engine: Mnemis;
let memory: MemoryScope;
beforeAll(async () => {
  engine = await open(':memory:');
  memory = engine.scope('ida');
  await remember(memory, [
    {
      content: 'My brother Milan lives in Brno and plays the tuba.',
      speaker: 'Ida',
      metadata: { mood: 'calm' },
    },
    { content: 'The tuba is loud. I keep bees behind the shed.', speaker: 'Ida' },
    { content: 'What do you feed the bees in winter?', speaker: 'Bo' },
    { content: 'Sugar water, until the willows bloom.', speaker: 'Ida' },
    { content: 'I went to the dentist and he hummed.', speaker: 'Bo' },
  ]);
  await remember(engine.scope('bo'), [
    { content: 'The tuba of my uncle is for sale.', speaker: 'Bo' },
    { content: 'I have never been to Brno.', speaker: 'Bo' },
  ]);
  await remember(engine.scope('eve'), [{ content: 'The tuba band plays on Sunday.', speaker: 'Eve' }]);
});
afterAll(() => engine.close());

const most = async (query: string) =>
  Math.max(0, ...(await memory.search(query)).items.map(({ relevance }) => relevance!));

describe('relevance', () => {
  it('is between 0 and 1 on every item', async () => {
    const { items } = await memory.search('Who plays the tuba in Brno?');
    expect(items.length).toBeGreaterThan(3);
    for (const { relevance } of items) {
      expect(relevance).toBeGreaterThan(0);
      expect(relevance).toBeLessThan(1);
    }
  });

  it('is high for what memory holds and low for what it does not', async () => {
    for (const query of [
      'Who plays the tuba?',
      'What do the bees eat in winter?',
      'Who went to the dentist?',
    ])
      expect([query, (await most(query)) > 0.5]).toEqual([query, true]);
    for (const query of ['asdf qwer', 'what is the capital of France', 'how do I install docker on ubuntu'])
      expect([query, (await most(query)) < 0.3]).toEqual([query, true]);
  });
});

describe('minScore', () => {
  it('leaves out what is less relevant, so that nonsense finds nothing', async () => {
    const found = await memory.search('what is the capital of France', { minScore: 0.3 });
    expect([found.items, found.episodes, found.facts, found.entities]).toEqual([[], [], [], []]);
    const { items, ranked } = await memory.search('Who plays the tuba in Brno?', { minScore: 0.5 });
    expect(items.length).toBeGreaterThan(0);
    for (const { relevance } of items) expect(relevance).toBeGreaterThanOrEqual(0.5);
    expect(ranked.episodes.length).toBeGreaterThan(1);
  });

  it('applies to answers', async () => {
    expect((await memory.ask('Who plays the tuba?', { minScore: 0.3 })).answered).toBe(true);
    expect((await memory.ask('Who plays the tuba?', { minScore: 1 })).answered).toBe(false);
  });
});

describe('a filter', () => {
  it('on the kind of result leaves out the others', async () => {
    const only = async (filter: Record<string, unknown>) => {
      const { episodes, facts, entities } = await memory.search('Who plays the tuba in Brno?', { filter });
      return [episodes.length > 0, facts.length > 0, entities.length > 0];
    };
    expect(await only({ kind: 'episode' })).toEqual([true, false, false]);
    expect(await only({ kind: 'fact' })).toEqual([false, true, false]);
    expect(await only({ kind: 'entity' })).toEqual([false, false, true]);
    expect(await only({ kind: { $ne: 'entity' }, speaker: 'Ida' })).toEqual([true, true, false]);
    const either = { $or: [{ kind: 'fact' }, { $and: [{ kind: 'episode' }, { $not: { speaker: 'Ida' } }] }] };
    expect(await only(either)).toEqual([true, true, false]);
  });

  it('on a field that no turn has is refused with the known ones', async () => {
    const search = (filter: Record<string, unknown>, scope = memory) => scope.search('tuba', { filter });
    await expect(search({ color: 'red' })).rejects.toThrow(
      /known: kind, session, speaker, role, source, talk, at, mood/,
    );
    await expect(search({ $or: [{ speaker: 'Ida' }, { $not: { color: 'red' } }] })).rejects.toThrow(
      InvalidInputError,
    );
    expect(contents(await search({ mood: 'calm' }))).toEqual([
      'My brother Milan lives in Brno and plays the tuba.',
    ]);
    expect((await search({ color: 'red' }, engine.scope('empty'))).items).toEqual([]);
  });
});

describe('a search of several scopes', () => {
  it('ranks what they hold together, each item with its scope, and reads no other', async () => {
    const { items, results } = await engine.searchScopes(['bo', 'ida', 'bo'], 'Who plays the tuba in Brno?', {
      k: 4,
    });
    expect(items).toHaveLength(4);
    expect(items[0]).toMatchObject({ scope: 'ida' });
    const sorted = items.map(({ relevance }) => relevance!);
    expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
    expect(results.map(({ scope }) => scope)).toEqual(['bo', 'ida']);
    expect(new Set(items.map(({ scope }) => scope))).not.toContain('eve');
    const alone = await engine.scope('ida').search('Who plays the tuba in Brno?', { k: 4 });
    expect(results[1]!.ranked).toEqual(alone.ranked);
  });

  it('takes the options of a search', async () => {
    const { items } = await engine.searchScopes(['bo', 'eve'], 'tuba', {
      filter: { kind: 'episode' },
      minScore: 0.3,
    });
    expect(items.map(({ kind }) => kind)).toEqual(['episode', 'episode']);
    expect((await engine.searchScopes(['bo', 'eve'], 'zxcv', { minScore: 0.3 })).items).toEqual([]);
  });

  it('refuses no scopes, names that are none, and wrong options', async () => {
    for (const scopes of [[], [''], ['a'.repeat(201)], 'bo' as never])
      await expect(engine.searchScopes(scopes, 'tuba')).rejects.toThrow(InvalidInputError);
    await expect(engine.searchScopes(['bo'], 'tuba', { minScore: 2 })).rejects.toThrow(/minScore/);
  });
});
