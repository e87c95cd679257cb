import { describe, expect, it } from 'vitest';
import { EVERY_RECIPE, paperRecipeNamed, personalaiRecipes } from '../../../eval/papers/recipes.ts';
import { ModelFaultError } from '../../../src/errors/index.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { TRAVERSAL, type TraversalRoute } from '../../../src/retrieve/traversal/defaults.ts';
import { day, HandMade } from '../../browse/history/hand-made.ts';
import { edge, entity, episode, fact, profile } from '../../contract/graph-rows.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { search as searchIn } from '../run-search.ts';

const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  Nora: ['Nora', 'Norrie'],
  Karl: ['Karl'],
  Oslo: ['Oslo'],
  Fjord: ['Fjord Museum'],
  Ming: ['小明'],
};
/** Turns with the entities that they mention. */
const TURNS: readonly (readonly [string, string, readonly string[]])[] = [
  ['t0', 'I moved to Oslo last spring.', ['Nora', 'Oslo']],
  ['t1', 'The Fjord Museum hired me as a guide.', ['Fjord']],
  ['t2', 'Rain all day in Oslo.', ['Oslo']],
  ['t3', 'We met again and were glad.', ['Karl']],
  ['t4', '小明住在北京。', ['Ming']],
  ['t5', 'Nobody is spoken of here.', []],
  ['t6', 'I lived in Lima before.', ['Nora']],
];

async function town(memory = new HandMade()): Promise<HandMade> {
  const names = Object.entries(PEOPLE);
  const about = (id: string, roles: Readonly<Record<string, 'subject' | 'object' | 'participant'>>) =>
    Object.entries(roles).map(([to, role]) => edge('ABOUT', id, to, { role }));
  await memory.commit({
    nodes: {
      episode: TURNS.map(([id, content], index) =>
        episode(id, { content, index, speaker: 'Someone', status: 'extracted', validAt: day('2024-01-01') }),
      ),
      entity: names.map(([id]) => entity(id)),
      profile: names.map(([id, [name, ...aliases]]) =>
        profile(`p-${id}`, { owner: id as never, name: name!, aliases, summary: `About ${name}.`, tags: [] }),
      ),
      fact: [
        fact('f-lives', { statement: 'Nora lives in Oslo' }),
        fact('f-stands', { statement: 'The Fjord Museum stands in Oslo' }),
        fact('f-works', { statement: 'Karl works at the Fjord Museum' }),
        fact('f-old', { statement: 'Nora lives in Lima with Karl', validAt: 1, invalidAt: 2 }),
        fact('f-met', { kind: 'proposition', statement: 'Nora and Karl met again' }),
      ],
    },
    relationships: [
      ...TURNS.flatMap(([id, , mentioned]) => mentioned.map((to) => edge('MENTIONS', id, to))),
      ...about('f-lives', { Nora: 'subject', Oslo: 'object' }),
      ...about('f-stands', { Fjord: 'subject', Oslo: 'object' }),
      ...about('f-works', { Karl: 'subject', Fjord: 'object' }),
      ...about('f-old', { Nora: 'subject', Karl: 'object' }),
      ...about('f-met', { Nora: 'participant', Karl: 'participant' }),
      edge('EVIDENCED_BY', 'f-lives', 't0'),
      edge('EVIDENCED_BY', 'f-stands', 't1'),
      edge('EVIDENCED_BY', 'f-works', 't1'),
      edge('EVIDENCED_BY', 'f-met', 't3'),
      edge('EVIDENCED_BY', 'f-old', 't6'),
    ],
  });
  return memory;
}

const memory = await town();

const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id as string);
const traceOf = ({ routes }: SearchResult) => routes.find(({ route }) => route === 'traversal')!;
const own = (more: Partial<TraversalRoute>): Recipe => ({
  ...recipeNamed('personalai-astar'),
  name: 'own',
  routes: [{ ...TRAVERSAL, ...more }],
});
const search = (query: string, more: Partial<TraversalRoute>, asked = {}) =>
  memory.search(query, { recipe: own(more), k: 20, ...asked });

describe('A*', () => {
  it('returns the relation facts between the entities of a question, and their evidence', async () => {
    const types = { allowed: ['object'] } as const;
    const found = await search('What joins Nora and the Fjord Museum?', { algorithms: ['a-star'], ...types });
    expect(ids(found.facts).sort()).toEqual(['f-lives', 'f-stands']);
    expect(ids(found.episodes).sort()).toEqual(['t0', 't1']);
    expect(ids(found.entities).sort()).toEqual(['Fjord', 'Nora', 'Oslo']);
    expect(found.facts[0]!.why[0]).toMatchObject({ route: 'traversal', list: 'a-star' });
    expect(traceOf(found)).toMatchObject({
      end: 'found',
      notes: [],
      figures: { noAnswer: 0, matchedEntities: 2 },
    });
  });

  it('treats a thesis as a node, and skips an ended fact', async () => {
    const asked = { algorithms: ['a-star'], aStar: { ...TRAVERSAL.aStar, heuristic: 'weighted' } } as const;
    const found = await search('Nora and Karl?', asked);
    expect(ids(found.facts)).toEqual(['f-met']);
    const any = await search('Nora and Karl?', asked, { recipe: { ...own(asked), validity: 'any' } });
    expect(ids(any.facts)).toEqual(['f-old']);
  });

  it('uses the nodes most similar to the question as goals for a single entity', async () => {
    const found = await search('Where does Karl work as a guide?', { algorithms: ['a-star'] });
    expect(traceOf(found).figures.matchedEntities).toBe(1);
    expect(ids(found.facts)).toContain('f-works');
    expect(ids(found.episodes)).toContain('t1');
  });
});

describe('WaterCircles and BeamSearch', () => {
  it('return the neighbourhood', async () => {
    const circles = await search('Norrie?', { algorithms: ['water-circles'] });
    expect(ids(circles.facts).sort()).toEqual(['f-lives', 'f-met']);
    expect(ids(circles.episodes).sort()).toEqual(['t0', 't3', 't6']);
    const beam = await search('What stands in the town of Norrie?', { algorithms: ['beam-search'] });
    expect(ids(beam.facts)).toContain('f-stands');
    expect(ids(beam.episodes)).not.toContain('t5');
  });

  it('respect the restrictions', async () => {
    const around = async (...allowed: TraversalRoute['allowed']) => {
      const { facts, episodes } = await search('Norrie?', { algorithms: ['water-circles'], allowed });
      return [ids(facts).sort(), ids(episodes).sort()];
    };
    // A fact adds its evidence, whether those turns may be entered or not.
    expect(await around('object', 'thesis')).toEqual([
      ['f-lives', 'f-met'],
      ['t0', 't3'],
    ]);
    expect(await around('object', 'episode')).toEqual([['f-lives'], ['t0', 't6']]);
    expect(await around('thesis', 'episode')).toEqual([['f-met'], ['t0', 't3', 't6']]);
  });

  it('count the names in a text as well as its links', async () => {
    const circles = { ...TRAVERSAL.waterCircles, episodic: 1 };
    // Both mention Oslo; only t0 is linked to Nora as well.
    const linked = await search('Rain: Nora, Oslo?', {
      algorithms: ['water-circles'],
      waterCircles: circles,
    });
    expect(ids(linked.episodes)[0]).toBe('t0');
  });

  it('read texts line by line if set', async () => {
    const pruning = await town(new HandMade('lines'));
    const lines = [
      'Karl slept for a whole long week. Karl collects rare stamps. Karl went home after all.',
      'Karl collects',
    ];
    await pruning.commit({
      nodes: {
        episode: lines.map((content, at) =>
          episode(`l${at}`, { content, index: 20 + at, status: 'extracted' }),
        ),
      },
      relationships: lines.map((_, at) => edge('MENTIONS', `l${at}`, 'Karl')),
    });
    const best = async (pruneText: boolean) => {
      const waterCircles = { ...TRAVERSAL.waterCircles, episodic: 1, pruneText };
      const recipe = own({ algorithms: ['water-circles'], allowed: ['episode'], waterCircles });
      return ids((await pruning.search('Karl collects rare stamps', { recipe })).episodes);
    };
    // As a whole the long turn is less similar to the question than the short one; its best line equals the question.
    expect(await best(false)).toEqual(['l1']);
    expect(await best(true)).toEqual(['l0']);
  });
});

describe('mixtures', () => {
  it('return the union, with a separate list per algorithm', async () => {
    const query = 'What joins Nora and the Fjord Museum?';
    const parts = await Promise.all(
      (['a-star', 'water-circles', 'beam-search'] as const).map((name) =>
        search(query, { algorithms: [name] }),
      ),
    );
    const all = await memory.search(query, { recipe: 'personalai-all', k: 20 });
    for (const kind of ['facts', 'episodes', 'entities'] as const) {
      const union = new Set(parts.flatMap((part) => ids(part[kind])));
      expect(new Set(ids(all[kind]))).toEqual(union);
    }
    const lists = new Set(all.facts.flatMap(({ why }) => why.map(({ list }) => list)));
    expect(lists).toEqual(new Set(['a-star', 'water-circles', 'beam-search']));
  });

  it('are deterministic', async () => {
    for (const recipe of EVERY_RECIPE.filter(({ name }) => name.startsWith('personalai'))) {
      const [first, second] = [1, 2].map(() => memory.search('Nora, Karl, Oslo?', { recipe, k: 20 }));
      const ranked = ({ ranked: found }: SearchResult) => found;
      expect(ranked(await first!)).toEqual(ranked(await second!));
      expect((await first!).episodes.length).toBeGreaterThan(0);
    }
  });
});

describe('the filter', () => {
  const one = { most: 1, order: 'similarity' } as const;

  it('keeps a number of triplets, nearest to the question', async () => {
    const found = await search('Nora lives in Oslo', { algorithms: ['water-circles'], filter: one });
    expect(ids(found.facts)).toEqual(['f-lives']);
  });

  it('keeps the algorithm’s order if set', async () => {
    const algorithms = ['water-circles'] as const;
    const order = async (kind: 'similarity' | 'traversal') =>
      ids((await search('Nora and Karl met again', { algorithms, filter: { most: 50, order: kind } })).facts);
    // Relation facts come before theses; the thesis equals the question.
    expect((await order('similarity'))[0]).toBe('f-met');
    expect(await order('traversal')).toEqual(['f-lives', 'f-works', 'f-met']);
  });

  it('keeps each text once', async () => {
    const twice = await town(new HandMade('twice'));
    const same = ['t7', 't8'].map((id, at) =>
      episode(id, { content: 'Tea with Karl.', index: 10 + at, status: 'extracted' }),
    );
    await twice.commit({
      nodes: { episode: same },
      relationships: same.map(({ id }) => edge('MENTIONS', id, 'Karl')),
    });
    const { episodes } = await twice.search('Tea with Karl?', {
      recipe: own({ algorithms: ['water-circles'] }),
      k: 20,
    });
    expect(ids(episodes).filter((id) => id === 't7' || id === 't8')).toEqual(['t7']);
  });
});

describe('matching', () => {
  it('uses the one nearest name for an unknown name', async () => {
    const found = await search('What is in the Museum Hall Fjord?', { algorithms: ['water-circles'] });
    expect(traceOf(found).figures.matchedEntities).toBe(1);
    expect(ids(found.entities)).toContain('Fjord');
    const far = { ...TRAVERSAL.matching, leastCosine: 0.9 };
    const none = await search('What is in the Museum Hall Fjord?', {
      algorithms: ['water-circles'],
      matching: far,
    });
    expect(traceOf(none).figures.matchedEntities).toBe(0);
  });

  it('reads names in other scripts', async () => {
    const { episodes } = await search('小明住在哪里？', { algorithms: ['water-circles'] });
    expect(ids(episodes)).toEqual(['t4']);
  });

  it('limits the number of entities', async () => {
    const few = { ...TRAVERSAL.matching, maximumEntities: 2 };
    const found = await search('Nora, Karl, Oslo?', { algorithms: ['water-circles'], matching: few });
    expect(traceOf(found).figures.matchedEntities).toBe(2);
  });
});

describe('the parser of questions', () => {
  const recipe = paperRecipeNamed('personalai-paper-water-circles');
  const asked = async (languageModel: LanguageModel | undefined, by = recipe) => {
    const view = { ...(await memory.view()), languageModel };
    return searchIn(view, 'who guides people at that museum by the fjord?', { recipe: by, k: 20 });
  };
  const naming = (prompts: string[], ...entities: readonly string[]) =>
    new FakeLanguageModel(({ name, user }) => {
      prompts.push(`${name}: ${user}`);
      return { entities };
    });

  it('is the model, which names what rules do not find, in one call that is counted', async () => {
    const prompts: string[] = [];
    const found = await asked(naming(prompts, 'Fjord Museum', 'norrie', 'fjord museum', ''));
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toMatch(/^parse-question: [\s\S]*that museum by the fjord/);
    expect(traceOf(found)).toMatchObject({ notes: [], usage: { calls: 1 } });
    expect(traceOf(found).figures.matchedEntities).toBe(2);
    expect(ids(found.entities)).toEqual(expect.arrayContaining(['Fjord', 'Nora']));
    expect(found.usage.calls).toBe(1);
    expect(traceOf(await asked(undefined)).usage.calls).toBe(0);
  });

  it('is not asked unless the recipe says so', async () => {
    const prompts: string[] = [];
    const found = await asked(naming(prompts, 'Nora'), recipeNamed('personalai-water-circles'));
    expect([prompts, traceOf(found).usage.calls]).toEqual([[], 0]);
  });

  it('is replaced by rules where the model fails, with a note and what was spent', async () => {
    const failing = new FakeLanguageModel(() => {
      throw new ModelFaultError('fake', 'it is down');
    });
    const [failed, byRules] = [await asked(failing), await asked(undefined)];
    expect(traceOf(failed).notes[0]).toMatch(
      /^the question was not parsed \([a-z-]+\): rules read its names$/,
    );
    expect(traceOf(failed).end).toBe('found');
    expect(failed.ranked).toEqual(byRules.ranked);
  });
});

describe('the settings of the tables', () => {
  it('are six without a restriction, and five with each of three', () => {
    const settings = personalaiRecipes().map(({ routes: [route] }) => route as TraversalRoute);
    const count = (of: number) => settings.filter(({ allowed }) => allowed.length === of).length;
    expect([count(3), count(2)]).toEqual([6, 15]);
    for (const { algorithms, allowed, matching } of settings) {
      expect(allowed.length === 3 || algorithms.join() !== 'water-circles').toBe(true);
      expect(matching.parser).toBe('model');
    }
    expect(new Set(settings.map(({ algorithms, allowed }) => `${algorithms} ${allowed}`)).size).toBe(21);
  });

  it('enter no node of the type that is left out, with one algorithm alone', async () => {
    const facts = async (name: string) =>
      ids((await memory.search('Nora and Karl?', { recipe: paperRecipeNamed(name), k: 20 })).facts);
    expect(await facts('personalai-paper-beam')).toContain('f-met');
    expect(await facts('personalai-paper-beam-without-theses')).not.toContain('f-met');
  });

  it('filter the triplets of all algorithms as one list', async () => {
    const recipe = paperRecipeNamed('personalai-paper-water-circles-and-beam');
    const { facts } = await memory.search('Nora, Karl, Oslo?', { recipe, k: 20 });
    for (const { why } of facts) expect(why.map(({ list }) => list)).toEqual(['union']);
  });
});

describe('no answer', () => {
  const expectNone = (found: SearchResult) => {
    const { end, notes, figures } = traceOf(found);
    expect([end, notes, figures.noAnswer]).toEqual(['nothing', ['no-answer'], 1]);
    expect([found.episodes, found.facts, found.entities]).toEqual([[], [], []]);
  };
  const alone = EVERY_RECIPE.filter(({ routes }) => routes.every(({ route }) => route === 'traversal'));

  it.each(alone)('$name reports it for an empty memory and for a question about nobody', async (recipe) => {
    const empty = new HandMade('empty');
    await empty.commit({});
    expectNone(await empty.search('Where is Nora?', { recipe }));
    expectNone(await memory.search('zzz qqq', { recipe }));
    expectNone(await memory.search('?', { recipe }));
  });
});

it('a long question is walked in full', async () => {
  const long = `${'And then the story went on and on. '.repeat(290)} Where do Nora and Karl live?`;
  expect(long.length).toBeGreaterThan(10_000);
  const found = await memory.search(long, { recipe: 'personalai-all' });
  expect(traceOf(found)).toMatchObject({ end: 'found', failure: null, figures: { matchedEntities: 2 } });
});

it('a question about the past walks only turns said by then and facts that held then', async () => {
  const found = await search('Norrie?', { algorithms: ['water-circles'] }, { asOf: day('2023-01-01') });
  expectNoTurns(found);
  const later = await search('Norrie?', { algorithms: ['water-circles'] }, { asOf: day('2025-01-01') });
  expect(ids(later.episodes).sort()).toEqual(['t0', 't3', 't6']);
});

function expectNoTurns({ episodes }: SearchResult): void {
  expect(ids(episodes)).toEqual([]);
}
