import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { ListRequest, StoredEpisode, StoredFact } from '../../src/engine/records/stored-memories.ts';
import type { Mnemis } from '../../src/engine.ts';
import { contents, freshPath, open, remember } from './memory-fixture.ts';

const path = freshPath();
let mnemis: Mnemis;
let memory: MemoryScope;
beforeAll(async () => {
  mnemis = await open(path);
  memory = mnemis.scope('a');
  await remember(memory, [
    {
      speaker: 'Nora',
      at: '2026-03-02',
      session: 'x',
      content: 'I live in Ghent.',
      metadata: { thread: 't1' },
    },
    {
      speaker: 'Bob',
      at: '2026-03-01',
      session: 'y',
      content: 'I love tea.',
      metadata: { tags: ['a', 'b'] },
    },
    { speaker: 'Bob', at: '2026-03-03', session: 'y', content: 'I play the cello.', sourceId: 'cello' },
  ]);
});
afterAll(() => mnemis.close());

const listed = async (request: ListRequest = {}) =>
  (await memory.list(request)).items.map((item) => (item.kind === 'fact' ? item.statement : item.content));
const idOf = async (text: string) => {
  const items = [...(await memory.list()).items, ...(await memory.list({ kind: 'fact' })).items];
  return items.find((item) => (item.kind === 'fact' ? item.statement : item.content) === text)!.id;
};

it('lists turns by time and facts by age, in pages', async () => {
  expect(await listed()).toEqual(['I love tea.', 'I live in Ghent.', 'I play the cello.']);
  expect(await listed({ kind: 'fact' })).toHaveLength(3);
  const first = await memory.list({ limit: 2 });
  expect(first.total).toBe(3);
  expect(await listed({ limit: 2, after: first.next! })).toEqual(['I play the cello.']);
});

it('lists by session and metadata, facts by the turns that support them', async () => {
  expect(await listed({ session: 'y' })).toEqual(['I love tea.', 'I play the cello.']);
  expect(await listed({ filter: { tags: ['a', 'b'] } })).toEqual(['I love tea.']);
  expect(await listed({ kind: 'fact', filter: { thread: 't1' } })).toEqual(['Nora lives in Ghent']);
  expect(await listed({ session: 'no such' })).toEqual([]);
  await expect(memory.list({ sesion: 'y' } as ListRequest)).rejects.toMatchObject({ code: 'invalid-input' });
});

it('gets a turn with its metadata and a fact with its sources, also from the file; else null', async () => {
  const fact = (await memory.get(await idOf('Bob loves tea'))) as StoredFact;
  expect(fact).toMatchObject({ kind: 'fact', factKind: 'relation' });
  const [source] = fact.sources;
  expect(await memory.get(source!)).toMatchObject({ kind: 'episode', metadata: { tags: ['a', 'b'] } });
  expect(await memory.get('no such')).toBeNull();
  expect(await mnemis.scope('b').get(source!)).toBeNull();
  await mnemis.close();
  mnemis = await open(path);
  memory = mnemis.scope('a');
  expect(await memory.get(source!)).toMatchObject({ metadata: { tags: ['a', 'b'] } });
  expect(await listed({ filter: { tags: ['a', 'b'] } })).toEqual(['I love tea.']);
});

describe('update', () => {
  it('a turn: the new version is found, the former one stays', async () => {
    const before = await idOf('I play the cello.');
    const after = (await memory.update(before, { content: 'I play the oboe.' })) as StoredEpisode;
    expect(after).toMatchObject({ version: 2, sourceId: 'cello', session: 'y', speaker: 'Bob' });
    expect(contents(await memory.search('oboe'))).toContain('I play the oboe.');
    expect(await listed()).not.toContain('I play the cello.');
    expect(await memory.get(before)).toMatchObject({
      content: 'I play the cello.',
      expiredAt: after.createdAt,
    });
    const moved = await memory.update(after.id, { metadata: { thread: 't9' } });
    expect(moved).toMatchObject({
      content: 'I play the oboe.',
      metadata: { thread: 't9' },
      atText: '2026-03-03',
    });
    expect(await memory.update(before, { speaker: 'Bob' })).toEqual(moved); // the id of any version names the turn
  });

  it('a fact: an edited version', async () => {
    const fact = await memory.update(await idOf('Nora lives in Ghent'), {
      statement: 'Nora lives in Bruges',
    });
    expect(fact).toMatchObject({ kind: 'fact', statement: 'Nora lives in Bruges' });
    expect(await listed({ kind: 'fact' })).not.toContain('Nora lives in Ghent');
  });

  it('throws for what is not there or malformed', async () => {
    const turn = await idOf('I love tea.');
    for (const call of [
      () => memory.update('no such', { content: 'x' }),
      () => memory.update(turn, { content: ' ' }),
      () => memory.update(turn, { statement: 'x' }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

it('delete forgets turns and rejects facts; nothing if one id is unknown', async () => {
  const turn = await idOf('I love tea.');
  const fact = await idOf('Nora lives in Bruges');
  await expect(memory.delete([turn, 'no such'])).rejects.toMatchObject({ code: 'invalid-input' });
  expect(await listed()).toContain('I love tea.');
  expect(await memory.delete([turn, fact])).toEqual({ episodes: 1, facts: 2 });
  expect(await memory.get(turn)).toBeNull();
  expect(await listed()).toEqual(['I live in Ghent.', 'I play the oboe.']);
  expect(await listed({ kind: 'fact' })).not.toContain('Nora lives in Bruges');
  await expect(memory.delete(fact)).rejects.toMatchObject({ code: 'invalid-input' });
});
