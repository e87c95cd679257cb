import { describe, expect, it } from 'vitest';
import { entityHistory } from '../../../src/browse/history/entity-history.ts';
import { factHistory } from '../../../src/browse/history/fact-history.ts';
import { pageOf } from '../../../src/browse/history/page.ts';
import { entityNamed } from '../../../src/search/entity-index.ts';
import { edge, entity, episode, fact, profile } from '../../contract/graph-rows.ts';
import { seededRandom } from '../../search/random.ts';
import { day, HandMade, HEARD, noraStory } from './hand-made.ts';

const nora = await noraStory();

describe('the history of a fact', () => {
  it.each(['f1', 'f2', 'f3', 'f-near'])(
    'includes all facts that superseded it and that it superseded: %s',
    async (id) => {
      const { kind, fact: asked, versions } = await factHistory(nora.context, id);
      expect([kind, asked, versions.total, versions.next]).toEqual(['fact', id, 4, null]);
      expect(versions.items.map((each) => [each.id, each.state, each.supersedes, each.supersededBy])).toEqual(
        [
          ['f1', 'ended', [], ['f2']],
          ['f-near', 'ended', [], ['f2']],
          ['f2', 'ended', ['f1', 'f-near'], ['f3']],
          ['f3', 'current', ['f2'], []],
        ],
      );
    },
  );

  it('has both times of each version and the turns that support it', async () => {
    const { items } = (await factHistory(nora.context, 'f3')).versions;
    expect(items[0]).toMatchObject({
      id: 'f1',
      factKind: 'relation',
      statement: 'Nora lives in Oslo',
      relation: 'likes',
      validAt: day('2018-03-01'),
      invalidAt: day('2020-06-01'),
      createdAt: HEARD.oslo,
      expiredAt: null,
      confidence: 0.9,
      event: null,
      supersedes: [],
      supersededBy: ['f2'],
      state: 'ended',
      evidence: [
        {
          episode: 't1',
          session: 't1',
          index: 0,
          speaker: 'Nora',
          saidAt: day('2018-03-01'),
          expiredAt: null,
        },
      ],
      evidenceCount: 1,
    });
  });

  it('distinguishes a corrected fact from one that has ended', async () => {
    const { items } = (await factHistory(nora.context, 'f-mila')).versions;
    expect(items.map(({ id, state, expiredAt }) => [id, state, expiredAt])).toEqual([
      ['f-milo', 'corrected', HEARD.corrected],
      ['f-mila', 'current', null],
    ]);
  });

  it('distinguishes one deleted with its turns from both, and a future end from a past one', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        fact: [
          fact('gone', { validAt: 1, expiredAt: 5 }),
          fact('old', { validAt: 2, invalidAt: 3, expiredAt: 5 }),
          fact('new', { validAt: 3, invalidAt: 50 }),
        ],
      },
      relationships: [edge('SUPERSEDES', 'new', 'old')],
    });
    memory.clock = 49;
    const states = async (id: string) =>
      (await factHistory(memory.context, id)).versions.items.map((each) => each.state);
    expect([await states('gone'), await states('new')]).toEqual([['withdrawn'], ['withdrawn', 'current']]);
    memory.clock = 50;
    expect(await states('new')).toEqual(['withdrawn', 'ended']);
  });

  it('shows the oldest evidence first, superseded turns included, at most twenty', async () => {
    const memory = new HandMade();
    const turns = Array.from({ length: 25 }, (_, at) =>
      episode(`t${at}`, { index: at, validAt: 100 - at, expiredAt: at === 24 ? 7 : null }),
    );
    await memory.commit({
      nodes: { fact: [fact('f')], episode: turns },
      relationships: turns.map(({ id }) => edge('EVIDENCED_BY', 'f', id)),
    });
    const [only] = (await factHistory(memory.context, 'f')).versions.items;
    expect(only?.evidenceCount).toBe(25);
    expect(only?.evidence.map(({ episode: id }) => id)).toEqual(
      Array.from({ length: 20 }, (_, at) => `t${24 - at}`),
    );
    expect(only?.evidence[0]).toMatchObject({ saidAt: 76, expiredAt: 7 });
  });

  it('rejects a fact that is missing, or belongs to another scope', async () => {
    const other = new HandMade('b', nora.store);
    for (const history of [factHistory(nora.context, 'nope'), factHistory(other.context, 'f1')])
      await expect(history).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('the history of an entity', () => {
  it('has its profiles by time of writing, and its facts by the time at which they held', async () => {
    const { kind, entity: id, createdAt, profiles, facts } = await entityHistory(nora.context, 'nora');
    expect([kind, id, createdAt]).toEqual(['entity', 'nora', HEARD.oslo]);
    expect(profiles).toEqual({
      items: [
        {
          id: 'p1',
          name: 'Nora',
          aliases: [],
          summary: 'Nora lives in Oslo.',
          tags: ['person'],
          createdAt: HEARD.oslo,
          expiredAt: HEARD.ghent,
        },
        {
          id: 'p2',
          name: 'Nora',
          aliases: [],
          summary: 'Nora lives in Ghent.',
          tags: ['person'],
          createdAt: HEARD.ghent,
          expiredAt: null,
        },
      ],
      total: 2,
      next: null,
    });
    expect(facts.items.map((each) => [each.id, each.supersededBy])).toEqual([
      ['f1', ['f2']],
      ['f-near', ['f2']],
      ['f-work', []],
      ['f2', ['f3']],
      ['f-milo', ['f-mila']],
      ['f3', []],
      ['f-mila', []],
    ]);
    const oslo = await entityHistory(nora.context, 'oslo');
    expect(oslo.facts.items.map((each) => each.id)).toEqual(['f1']);
  });

  it('comes in pages, each list with its own cursor', async () => {
    const first = await entityHistory(nora.context, 'nora', { limit: 1 });
    expect(first.profiles.items.map(({ id }) => id)).toEqual(['p1']);
    const after = { profiles: first.profiles.next ?? '', facts: first.facts.next ?? '' };
    const second = await entityHistory(nora.context, 'nora', { limit: 1, after });
    expect(second.profiles.items.map(({ id }) => id)).toEqual(['p2']);
    expect(second.profiles.next).toBeNull();
    expect([first, second].map(({ facts }) => [facts.items[0]?.id, facts.total])).toEqual([
      ['f1', 7],
      ['f-near', 7],
    ]);
  });

  it('rejects an entity that is missing, or belongs to another scope', async () => {
    const other = new HandMade('b', nora.store);
    await expect(entityHistory(other.context, 'nora')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('is found by a name that only one entity has', async () => {
    const memory = new HandMade();
    const named = (id: string, owner: string, name: string) =>
      profile(id, { owner: owner as never, name, aliases: [] });
    await memory.commit({
      nodes: {
        entity: ['a', 'b', 'c'].map((id) => entity(id)),
        profile: [named('p', 'a', 'Alex'), named('q', 'b', 'Alex'), named('r', 'c', 'Carla')],
      },
    });
    const { entities } = await memory.index();
    expect(['carla', 'a', 'nobody'].map((name) => entityNamed(name, entities))).toEqual(['c', 'a', 'nobody']);
    expect(() => entityNamed('Alex', entities)).toThrow(/: a, b\./);
    await expect(entityHistory(memory.context, entityNamed('nobody', entities))).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });
});

describe('the pages of a history', () => {
  const place = ([at, createdAt, id]: readonly [number, number, string]) => ({ at, createdAt, id });

  it('together give the whole in order, for any limit and despite later writes', () => {
    const random = seededRandom(9);
    const rows = Array.from(
      { length: 83 },
      (_, at) => [Math.floor(random() * 5) - 2, Math.floor(random() * 3), `row.${at}`] as const,
    );
    const sorted = pageOf(rows, place, { limit: 100 }).items;
    expect(sorted.map(([at]) => at)).toEqual(rows.map(([at]) => at).toSorted((a, b) => a - b));
    for (const limit of [1, 7, 82, 83, 84]) {
      const all: (readonly [number, number, string])[] = [...rows];
      const taken: (readonly [number, number, string])[] = [];
      for (let after: string | undefined; ; ) {
        const page = pageOf(all, place, { limit, after });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        taken.push(...page.items);
        if (page.next === null) break;
        after = page.next;
        // What is older than the part at hand does not shift the next one.
        all.push([-9, 0, `new.${all.length}`]);
      }
      expect(taken).toEqual(sorted);
    }
  });

  it.each([0, -1, 1.5, 501, Number.NaN])('reject a limit of %d', (limit) => {
    expect(() => pageOf([], place, { limit })).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it.each(['', 'x', '1.2', '1.2.', '1e9.2.a', '.1.a'])('reject the cursor %j', (after) => {
    expect(() => pageOf([], place, { after })).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });
});
