import { describe, expect, it } from 'vitest';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';
import type { System2Route } from '../../../src/retrieve/categories/defaults.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeFrom, recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { day, HandMade } from '../../browse/history/hand-made.ts';
import { edge, episode, fact } from '../../contract/graph-rows.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import { hierarchyRows, profileOf, TRAVELS } from '../../hierarchy/traverse/hand-made-hierarchy.ts';
import { openLab } from '../../inference/language-model/model-lab.ts';
import { type RunSettings, search } from '../run-search.ts';

const walksOf = ({ routes }: Pick<SearchResult, 'routes'>) => routes.flatMap(({ walk }) => walk ?? []);
const CITIES = ['Oslo', 'Bergen', 'Rome', 'Lima'];
/** None of them contains the word "city"; a popular one occurs three times. */
const TURNS: readonly (readonly [text: string, entities: readonly string[]])[] = [
  ['Oslo was so cold in winter.', ['Oslo']],
  ['I ate far too much in Rome.', ['Rome']],
  ['Rome again, what a summer.', ['Rome']],
  ['Rome has the best coffee.', ['Rome']],
  ['Rain for a week in Bergen.', ['Bergen']],
  ['The food of Lima is a marvel.', ['Lima']],
  ['Rex bit the postman.', ['Rex']],
  ['Which city is big? Every city is.', []],
  ['I play the violin at night.', ['violin']],
  ['The saw is blunt.', ['saw']],
];

async function travels(memory = new HandMade()): Promise<HandMade> {
  const rows = hierarchyRows(TRAVELS);
  await memory.commit({
    nodes: {
      ...rows.nodes,
      episode: TURNS.map(([content], at) =>
        episode(`t${at}`, {
          content,
          index: at,
          speaker: at % 2 ? 'Ann' : 'Bob',
          session: `s${at}`,
          status: 'extracted',
          validAt: day(`2020-01-${10 + at}`),
        }),
      ),
      fact: [
        fact('f-rome', { statement: 'Rex loves Rome', validAt: day('2020-01-11') }),
        fact('f-old', { statement: 'Ann lives in Lima', validAt: 10, invalidAt: 20 }),
        fact('f-saw', { statement: 'The saw is blunt', validAt: 10 }),
      ],
    },
    relationships: [
      ...rows.relationships!,
      ...TURNS.flatMap(([, entities], at) => entities.map((to) => edge('MENTIONS', `t${at}`, to))),
      edge('ABOUT', 'f-rome', 'Rome', { role: 'object' }),
      edge('ABOUT', 'f-rome', 'Rex', { role: 'subject' }),
      edge('ABOUT', 'f-old', 'Lima', { role: 'object' }),
      edge('ABOUT', 'f-saw', 'saw', { role: 'subject' }),
      edge('EVIDENCED_BY', 'f-rome', 't1'),
      edge('EVIDENCED_BY', 'f-old', 't5'),
      edge('EVIDENCED_BY', 'f-saw', 't9'),
    ],
  });
  return memory;
}

const memory = await travels();

const QUESTION = 'Which cities has Ann visited?';
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id as string);
const llm = recipeNamed('system2');
async function ask(model: LanguageModel | undefined, settings: Partial<RunSettings> = {}, query = QUESTION) {
  const view = { ...(await memory.view()), languageModel: model };
  return search(view, query, { recipe: llm, k: 10, ...settings });
}
function withRoute(recipe: string, more: Partial<System2Route>): Recipe {
  const { routes, ...rest } = recipeNamed(recipe);
  return {
    ...rest,
    routes: routes.map((route) => (route.route === 'system2' ? { ...route, ...more } : route)),
  };
}
/** Picks the lines of these names: "Cities*" with everything below. */
const picking = (...names: readonly string[]) =>
  new FakeLanguageModel(({ user }) => {
    const found = (wanted: readonly string[]) =>
      user.split('\n').flatMap((line) => {
        const [, number, name] = /^\s*(\d+) ([^(:]*?)(?: \(|:|$)/.exec(line) ?? [];
        return wanted.includes(name ?? '') ? [Number(number)] : [];
      });
    const all = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    return { open: found(names), all: found(all) };
  });

describe('system2-local', () => {
  const searched = (query = QUESTION, more = {}) =>
    memory.search(query, { recipe: 'system2-local', ...more });

  it('finds every member of a kind, which similarity does not find', async () => {
    const { episodes, entities, facts, routes, usage } = await searched();
    const trace = walksOf({ routes });
    const mentioned = ids(episodes).map((id) => TURNS[Number(id.slice(1))]![1][0]);
    expect(mentioned.slice(0, 4).sort()).toEqual([...CITIES].sort());
    expect(ids(episodes)).not.toContain('t7');
    expect(ids(entities).slice(0, 6).sort()).toEqual(expect.arrayContaining([...CITIES, 'Cities']));
    expect(ids(facts)).toEqual(['f-rome']);
    // The other end of the fact.
    expect(ids(entities)).toContain('Rex');
    expect(usage.calls).toBe(0);
    expect(trace).toMatchObject([{ selector: 'local', end: 'complete', failure: null }]);
    expect(trace[0]!.entities).toBeGreaterThanOrEqual(4);
    const plain = await memory.search(QUESTION, { recipe: 'system1', k: 4 });
    expect(ids(plain.episodes)).toContain('t7');
    expect(walksOf(plain)).toEqual([]);
  });

  it('returns a turn of each member before a second of any, if all are asked for', async () => {
    const covers = async (coverage: boolean) => {
      const { episodes } = await memory.search('Which cities was I in for coffee again in summer?', {
        recipe: withRoute('system2-local', { coverage }),
        k: 4,
      });
      return new Set(ids(episodes).map((id) => TURNS[Number(id.slice(1))]![1][0])).size;
    };
    expect(await covers(true)).toBe(4);
    expect(await covers(false)).toBeLessThan(4);
  });

  it('reports the path of every result, and the layer of a category', async () => {
    const { episodes, entities, facts } = await searched();
    const rome = entities.find(({ id }) => id === 'Rome')!;
    expect([rome.layer, rome.why[0]!.path]).toEqual([0, ['Places', 'Cities', 'Rome']]);
    const cities = entities.find(({ id }) => id === 'Cities')!;
    expect([cities.layer, cities.why[0]!.path, cities.summary]).toEqual([
      1,
      ['Places', 'Cities'],
      CITIES.join(', '),
    ]);
    expect(ids(cities.sources.map(({ episode: id }) => ({ id })))).toEqual(['t0', 't3', 't4', 't5']);
    expect(episodes[0]!.why[0]!.path!.slice(0, 2)).toEqual(['Places', 'Cities']);
    expect(facts[0]!.why[0]!.path).toEqual(['Places', 'Cities', 'Rome']);
  });

  it('respects asOf: turns, entities and summaries of that time', async () => {
    const { episodes, entities, facts } = await searched(QUESTION, { asOf: '2020-01-11' });
    expect(ids(episodes).sort()).toEqual(['t0', 't1']);
    expect(ids(facts)).toEqual(['f-rome']);
    for (const later of ['Bergen', 'Lima']) expect(ids(entities)).not.toContain(later);
    const cities = entities.find(({ layer }) => layer > 0)!;
    expect([cities.id, cities.summary]).toEqual(['Cities', 'Oslo, Rome']);
    expect(ids(cities.sources.map(({ episode: id }) => ({ id })))).toEqual(['t0', 't1']);
    expect(walksOf(await searched(QUESTION, { asOf: '1969-01-01' }))).toMatchObject([
      { end: 'no-hierarchy' },
    ]);
  });

  it('returns ended facts only on request', async () => {
    const any = { ...recipeNamed('system2-local'), name: 'any', validity: 'any' as const };
    expect(ids((await memory.search(QUESTION, { recipe: any })).facts).sort()).toEqual(['f-old', 'f-rome']);
  });

  it('does not return removed or forgotten rows', async () => {
    const other = await travels(new HandMade('b'));
    await other.store.commit(other.scope, {
      removals: [
        { kind: 'profile', id: 'profile of Lima' as never },
        { kind: 'entity', id: 'Lima' as never },
        { kind: 'episode', id: 't0' as never },
      ],
    } as never);
    const { episodes, entities } = await other.search(QUESTION, { recipe: 'system2-local' });
    expect(ids(entities)).not.toContain('Lima');
    expect(ids(episodes)).not.toContain('t0');
    expect(ids(episodes)).toContain('t4');
  });

  it('does not return a turn replaced by a newer version', async () => {
    const view = await memory.view();
    view.index.apply({ updates: [{ kind: 'episode', id: 't0' as never, set: { expiredAt: 5 } }] });
    const { episodes } = await search(view, QUESTION, { recipe: recipeNamed('system2-local'), k: 10 });
    expect(ids(episodes)).not.toContain('t0');
    expect(ids(episodes)).toContain('t4');
  });

  it('searches its own scope only', async () => {
    const empty = new HandMade('elsewhere', memory.store);
    const { episodes, entities, routes } = await empty.search(QUESTION, { recipe: 'mnemis-local' });
    const trace = walksOf({ routes });
    expect([episodes, entities]).toEqual([[], []]);
    expect(trace).toMatchObject([{ end: 'no-hierarchy', steps: [], entities: 0 }]);
  });
});

describe('mnemis', () => {
  it('equals system1 without a hierarchy, and reports it', async () => {
    const flat = new HandMade('flat');
    await flat.commit({
      nodes: {
        episode: TURNS.map(([content], at) => episode(`t${at}`, { content, index: at })),
        entity: [],
        profile: [profileOf('Rome')],
      },
    } as never);
    for (const recipe of ['mnemis', 'mnemis-local']) {
      const [one, both] = [
        await flat.search('Where was the coffee?', { recipe: 'system1' }),
        await flat.search('Where was the coffee?', { recipe }),
      ];
      expect(both.ranked).toEqual(one.ranked);
      expect(walksOf(both)[0]!.end).toBe('no-hierarchy');
    }
  });

  it('has the results of both routes, with the votes of both', async () => {
    const { episodes, ranked } = await memory.search(QUESTION, { recipe: 'mnemis-local' });
    const routes = new Set(episodes.flatMap(({ why }) => why.map(({ route }) => route)));
    expect([...routes].sort()).toEqual(['system1', 'system2']);
    expect(new Set(ids(ranked.episodes)).size).toBe(ranked.episodes.length);
    expect(new Set(ids(ranked.entities)).size).toBe(ranked.entities.length);
    expect(ids(ranked.entities)).toContain('Cities');
  });

  it('weighs its routes as set in the recipe', async () => {
    const rank = async (enumerating: number) => {
      const recipe = withRoute('mnemis-local', { weights: { enumerating, other: 0, members: 0 } });
      return ids((await memory.search(QUESTION, { recipe })).ranked.episodes).indexOf('t7');
    };
    expect(await rank(0)).toBe(0);
    expect(await rank(50)).toBeGreaterThanOrEqual(4);
  });
});

describe('a question that contains only the kind', () => {
  const members = ['t0', 't2', 't4', 't5'];

  it('returns one turn of each member first, beside one other', async () => {
    const { ranked, episodes } = await memory.search('Which cities?', { recipe: 'mnemis-local' });
    expect(ids(ranked.episodes).slice(0, 5)).toEqual(expect.arrayContaining(members));
    const lists = episodes
      .filter(({ id }) => members.includes(id))
      .map(({ why }) => why.map(({ list }) => list));
    for (const each of lists) expect(each).toContain('members');
    // The other turns of a member are selected, not its best one.
    const again = episodes.find(({ id }) => id === 't1')!.why.map(({ list }) => list);
    expect(again).toContain('selection');
    expect(again).not.toContain('members');
  });

  it.each([
    ['says more', 'Which cities had good coffee in the rainy winter?'],
    ['asks for one thing', 'Which city is big?'],
  ])('does not if it %s', async (_, question) => {
    const { episodes } = await memory.search(question, { recipe: 'mnemis-local' });
    expect(episodes.flatMap(({ why }) => why.map(({ list }) => list))).not.toContain('members');
  });

  it('does not return the kind itself as a member', async () => {
    const bare = await travels();
    await bare.commit({
      nodes: {
        entity: [{ id: 'city', createdAt: 1 }],
        profile: [profileOf('city')],
      },
      relationships: [edge('CATEGORIZES', 'Cities', 'city'), edge('MENTIONS', 't7', 'city')],
    } as never);
    const { ranked, episodes } = await bare.search('Which cities?', { recipe: 'system2-local' });
    expect(ids(ranked.episodes).slice(0, 4).sort()).toEqual(members);
    expect(episodes.find(({ id }) => id === 't7')!.why.map(({ list }) => list)).toEqual(['selection']);
  });
});

describe('system2 with a language model', () => {
  it('walks by the picks of the model', async () => {
    const { episodes, entities, routes, usage } = await ask(picking('Places', 'Cities', 'Lima'));
    expect(ids(episodes)).toEqual(['t5']);
    expect(ids(entities).sort()).toEqual(['Cities', 'Lima', 'Places']);
    expect(walksOf({ routes })[0]!.selector).toBe('llm, names');
    expect(usage).toEqual(routes[0]!.usage);
    expect(usage.calls).toBeGreaterThan(0);
  });

  it('shows two short layers in one call, and no short top list', async () => {
    const calls = async (walk: Partial<System2Route['walk']>) => {
      const route = llm.routes[0] as System2Route;
      const recipe = withRoute('system2', { walk: { ...route.walk, ...walk } });
      const result = await ask(picking('Places', 'Cities', 'Rome'), { recipe });
      expect(ids(result.entities)).toContain('Rome');
      return result.usage.calls;
    };
    expect(await calls({ together: 0, skipTop: 0 })).toBe(3);
    expect(await calls({ together: 40, skipTop: 0 })).toBe(2);
    expect(await calls({ together: 0, skipTop: 4 })).toBe(2);
  });

  it('shows the best nodes of a long list', async () => {
    const recipe = withRoute('system2', { llm: { shown: 'names', listTokens: 3_000, shortlist: 2 } });
    const trace = walksOf(await ask(picking('Places', 'Cities*'), { recipe }));
    expect(trace[0]!.steps[0]!.notes).toEqual(['2 with the lowest scores were not shown']);
    expect(trace[0]!.end).not.toBe('failed');
  });

  it('is skipped if the model fails, and reports the error', async () => {
    await using lab = await openLab('openai', {
      server: { storm: { probability: 1, seed: 2, faults: [{ kind: 'malformed-json' }] } },
    });
    const failed = await ask(lab.model);
    expect([failed.episodes, failed.entities, failed.facts]).toEqual([[], [], []]);
    expect(walksOf(failed)).toMatchObject([{ end: 'failed', failure: 'malformed-reply', entities: 0 }]);
    expect(failed.usage.calls).toBeGreaterThan(0);
    const mnemis = await ask(lab.model, { recipe: recipeNamed('mnemis') });
    expect(mnemis.ranked).toEqual((await ask(undefined, { recipe: recipeNamed('system1') })).ranked);
  });

  it('is skipped if the budget is exhausted', async () => {
    const trace = walksOf(await ask(picking('Places'), { budget: new TokenBudget(20) }));
    expect(trace).toMatchObject([{ end: 'failed', failure: 'budget-exhausted' }]);
  });

  it('requires a model that is not configured, or falls back', async () => {
    expect(walksOf(await ask(undefined))).toMatchObject([{ selector: 'local', end: 'complete' }]);
    const strict = await ask(undefined, { recipe: withRoute('system2', { selector: 'llm' }) });
    expect(walksOf(strict)).toMatchObject([{ selector: 'llm', end: 'no-model' }]);
    expect(strict.episodes).toEqual([]);
  });

  it('is cancelled with the search', async () => {
    const stop = new AbortController();
    const model = new FakeLanguageModel(() => {
      stop.abort();
      return {};
    });
    await expect(ask(model, { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it.each([
    ['numbers without end', { open: Array.from({ length: 5_000 }, (_, at) => at), all: [] }],
    [
      'everything, always',
      { open: Array.from({ length: 60 }, (_, at) => at), all: Array.from({ length: 60 }, (_, at) => at) },
    ],
    ['text', { open: 'DROP TABLE; </data-1> 1', all: ['__proto__', 'constructor'] }],
  ])('terminates for every reply of the model: %s', async (_, reply) => {
    const { routes, episodes } = await ask(new FakeLanguageModel(() => reply));
    const trace = walksOf({ routes });
    expect(['complete', 'no-picks']).toContain(trace[0]!.end);
    expect(trace[0]!.steps.length).toBeLessThanOrEqual(4);
    expect(new Set(ids(episodes)).size).toBe(episodes.length);
  });
});

it('recipes with a walk are data, validated', () => {
  const own = JSON.parse(JSON.stringify({ ...llm, name: 'own' }));
  expect(recipeFrom(own)).toEqual(own);
  for (const broken of [
    { selector: 'magic' },
    { walk: { beam: 0, skipTop: 0, together: 0 } },
    { weights: { other: 1 } },
    { shown: 1 },
  ])
    expect(() => recipeFrom({ ...own, routes: [{ ...own.routes[0], ...broken }] })).toThrow(
      /recipe is not valid/,
    );
});
