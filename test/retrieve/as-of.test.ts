import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import type { Recipe } from '../../src/retrieve/recipes/recipe.ts';
import { recipeFrom, recipeNamed } from '../../src/retrieve/recipes/recipes.ts';
import { day, HandMade, noraStory } from '../browse/history/hand-made.ts';
import { edge, entity, episode, fact, profile } from '../contract/graph-rows.ts';
import { open } from '../engine/memory-fixture.ts';
import { seededRandom } from '../search/random.ts';

const nora = await noraStory();

const HOMES = /lives in (\w+)/;
const homes = (facts: readonly { statement: string }[]) =>
  facts.flatMap(({ statement }) => HOMES.exec(statement)?.[1] ?? []).sort();

describe('a search about the present', () => {
  it('returns facts that hold, and none that have ended', async () => {
    const { facts, ranked, episodes } = await nora.search('Where does Nora live?');
    expect(homes(facts)).toEqual(['Ghent']);
    const ids = ranked.facts.map(({ id }) => id);
    expect(ids).toContain('f3');
    for (const id of ['f1', 'f2', 'f-near', 'f-milo']) expect(ids).not.toContain(id);
    // Turns do not expire.
    expect(episodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['t1', 't3', 't5']));
  });

  it('returns facts that end in the future', async () => {
    nora.clock = day('2023-05-03') - 1;
    expect(homes((await nora.search('Where does Nora live?')).facts)).toEqual(['Antwerp', 'Ghent']);
    nora.clock = day('2023-05-03');
    expect(homes((await nora.search('Where does Nora live?')).facts)).toEqual(['Ghent']);
    nora.clock = day('2026-01-01');
  });

  it(`is set by the recipe: the paper's own and "any" ignore ends`, async () => {
    const all = ['Antwerp', 'Ghent', 'Oslo'];
    const ask = async (recipe: string | Recipe) =>
      homes((await nora.search('Where does Nora live?', { recipe })).facts);
    expect(await ask(paperRecipeNamed('system1-paper'))).toEqual(all);
    expect(await ask({ ...recipeNamed('system1'), name: 'own', validity: 'any' })).toEqual(all);
    const { validity: _, ...without } = recipeNamed('system1');
    for (const recipe of [
      without,
      paperRecipeNamed('system1-graph'),
      'system1-balanced',
      'system1-lexical',
      'system1-vector',
    ])
      expect(await ask(recipe)).toEqual(['Ghent']);
    expect(() => recipeFrom({ ...recipeNamed('system1'), validity: 'always' as never })).toThrow(/validity/);
  });

  it('shows when a fact held', async () => {
    const { facts } = await nora.search('Where does Nora live?', {
      recipe: paperRecipeNamed('system1-paper'),
    });
    const oslo = facts.find(({ id }) => id === 'f1');
    expect(oslo).toMatchObject({ validAt: day('2018-03-01'), invalidAt: day('2020-06-01') });
  });

  it('fills the lists if enough facts hold, however many have ended', async () => {
    const memory = new HandMade();
    const many = Array.from({ length: 1_500 }, (_, at) =>
      fact(`f${String(at).padStart(4, '0')}`, {
        statement: `kiwi ${at}`,
        validAt: 10,
        invalidAt: at % 60 === 0 ? null : 20,
      }),
    );
    await memory.commit({ nodes: { fact: many } });
    for (const recipe of ['system1-lexical', 'system1-vector', 'system1']) {
      const { facts, ranked } = await memory.search('kiwi', { k: 5, recipe });
      expect(facts).toHaveLength(10);
      const holding = many.filter(({ invalidAt }) => invalidAt === null).map(({ id }) => id);
      expect(ranked.facts.map(({ id }) => id as string).sort()).toEqual(holding);
    }
  });
});

describe('asOf', () => {
  const at = async (asOf: string | number | Date) => nora.search('Where does Nora live?', { asOf });

  it.each([
    ['2018-02-28', []],
    ['2018-03-01', ['Oslo']],
    ['2020-05-31T23:59:59.999Z', ['Oslo']],
    ['2020-06-01', ['Antwerp']],
    ['2023-05-02', ['Antwerp']],
    ['2023-05-03', ['Ghent']],
    ['2025-01-01', ['Ghent']],
  ])('%s: %j', async (asOf, expected) => {
    for (const time of [asOf, new Date(asOf), Date.parse(asOf)])
      expect(homes((await at(time)).facts)).toEqual(expected);
  });

  it('returns facts that held then with every recipe', async () => {
    const { facts } = await nora.search('Nora lives', {
      asOf: '2021-06-01',
      recipe: paperRecipeNamed('system1-paper'),
    });
    expect(homes(facts)).toEqual(['Antwerp']);
  });

  it('returns turns said by then', async () => {
    const turns = async (asOf: string) => (await at(asOf)).ranked.episodes.map(({ id }) => id).sort();
    expect(await turns('2018-02-28')).toEqual([]);
    expect(await turns('2018-03-01')).toEqual(['t1']);
    expect(await turns('2020-06-01')).toEqual(['t1', 't2', 't3']);
  });

  it('returns entities mentioned by then, without later facts about them', async () => {
    const { entities } = await at('2019-06-01');
    expect(entities.map(({ name }) => name).sort()).toEqual(['Nora', 'Oslo']);
    for (const { summary, tags, sources } of entities) {
      expect(summary).toContain('Oslo');
      expect(`${summary} ${tags}`).not.toMatch(/Antwerp|Ghent|Mil[ao]/);
      expect(sources.map(({ episode }) => episode)).not.toContain('t3');
    }
    const now = (await nora.search('Nora')).entities.find(({ name }) => name === 'Nora');
    expect([now?.summary, now?.sources.at(-1)?.episode]).toEqual(['Nora lives in Ghent.', 't6']);
  });

  it('keeps the kind of an entity and counts the mentions by then, if no fact held', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        episode: [episode('t1', { validAt: 10, content: 'kiwi' }), episode('t2', { validAt: 30, index: 1 })],
        entity: [entity('e')],
        profile: [
          profile('p', { owner: 'e' as never, name: 'Kiwi', tags: ['place', 'later'], summary: 'later' }),
        ],
        fact: [fact('f', { statement: 'later', validAt: 30 })],
      },
      relationships: [
        edge('MENTIONS', 't1', 'e'),
        edge('MENTIONS', 't2', 'e'),
        edge('ABOUT', 'f', 'e', { role: 'subject' }),
      ],
    });
    const { entities } = await memory.search('kiwi', { asOf: 20 });
    expect(entities).toMatchObject([{ summary: 'Kiwi (place), mentioned once.', tags: ['place'] }]);
  });

  it('returns an entity that only a later turn dates back to then', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        episode: [episode('t', { validAt: 50, content: 'I grew kiwi back then.' })],
        entity: [entity('e')],
        profile: [profile('p', { owner: 'e' as never, name: 'Kiwi' })],
        fact: [fact('f', { statement: 'Ann grew kiwi', validAt: 10 })],
      },
      relationships: [
        edge('MENTIONS', 't', 'e'),
        edge('EVIDENCED_BY', 'f', 't'),
        edge('ABOUT', 'f', 'e', { role: 'object' }),
      ],
    });
    const { episodes, entities, facts } = await memory.search('kiwi', { asOf: 20 });
    expect([episodes.length, entities.length, facts.length]).toEqual([0, 1, 1]);
    expect(facts[0]!.sources).toMatchObject([{ episode: 't' }]);
    expect((await memory.search('kiwi', { asOf: 9 })).entities).toEqual([]);
  });

  it('shows the sources of a fact said by then, unless there are none', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        episode: [10, 30].map((validAt, index) => episode(`t${validAt}`, { validAt, index })),
        fact: [
          fact('f', { statement: 'Ann grows kiwi', validAt: 10 }),
          fact('g', { statement: 'Ann grew kiwi back then', validAt: 10 }),
        ],
      },
      relationships: [
        edge('EVIDENCED_BY', 'f', 't10'),
        edge('EVIDENCED_BY', 'f', 't30'),
        edge('EVIDENCED_BY', 'g', 't30'),
      ],
    });
    const sources = async (asOf?: number) => {
      const { facts } = await memory.search('kiwi', asOf === undefined ? {} : { asOf });
      return Object.fromEntries(facts.map((each) => [each.id, each.sources.map(({ episode: id }) => id)]));
    };
    expect(await sources(20)).toEqual({ f: ['t10'], g: ['t30'] });
    expect(await sources()).toEqual({ f: ['t10', 't30'], g: ['t30'] });
  });

  it('ranks no later turn as evidence of facts or mention of entities', async () => {
    const { ranked } = await nora.search('Nora', {
      recipe: paperRecipeNamed('system1-graph'),
      asOf: '2020-06-01',
    });
    const ids = ranked.episodes.map(({ id }) => id);
    expect(ids).toContain('t1');
    for (const later of ['t4', 't5', 't6']) expect(ids).not.toContain(later);
  });

  it.each(['soon', '', '8/5/2023', Number.NaN, new Date('nonsense'), {} as never, null as never])(
    'rejects %j',
    async (asOf) => {
      for (const time of [{ asOf }, { knownAt: asOf }])
        await expect(nora.search('Nora', time)).rejects.toMatchObject({ code: 'invalid-input' });
    },
  );
});

it('facts stored with an end are not returned as current by a memory', async () => {
  await using engine = await open(':memory:');
  const memory = engine.scope('a');
  await memory.add({ content: 'I grow kiwi.', speaker: 'Ann', at: '2020-01-01' });
  const evidence = [{ session: 'main', index: 0 }];
  const { added } = await memory.addFacts([
    { statement: 'Ann grew melon', evidence, invalidAt: '2021-01-01' },
    { statement: 'Ann grows melon', evidence },
  ]);
  expect(added).toBe(2);
  const { facts } = await memory.search('melon');
  expect(facts.map(({ statement }) => statement)).toEqual(['Ann grows melon']);
});

it('random memories return exactly the facts of a naive filter', async () => {
  const random = seededRandom(5);
  const time = () => Math.floor(random() * 40);
  for (let round = 0; round < 20; round++) {
    const memory = new HandMade();
    memory.clock = time();
    const facts = Array.from({ length: 60 }, (_, at) => {
      const validAt = time();
      return fact(`f${at}`, {
        statement: `kiwi ${at}`,
        validAt,
        invalidAt: random() < 0.5 ? null : validAt + time(),
        expiredAt: random() < 0.2 ? 50 : null,
      });
    });
    await memory.commit({ nodes: { fact: facts } });
    const live = facts.filter(({ expiredAt }) => expiredAt === null);
    for (const asOf of [undefined, time(), time()]) {
      const expected = live
        .filter(({ validAt }) => asOf === undefined || validAt <= asOf)
        .filter(({ invalidAt }) => invalidAt === null || invalidAt > (asOf ?? memory.clock))
        .map(({ id }) => id);
      for (const recipe of ['system1', 'system1-vector']) {
        const found = (await memory.search('kiwi', { asOf, k: 100, recipe })).facts;
        expect(found.map(({ id }) => id).sort()).toEqual(expected.toSorted());
      }
    }
  }
});
