import { describe, expect, it } from 'vitest';
import { gamSweeps, paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import { CancelledError, ModelFaultError } from '../../../src/errors/index.ts';
import type { Reranker } from '../../../src/inference/reranker.ts';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';
import { parseRecipe, type Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { recipeFrom } from '../../../src/retrieve/recipes/recipes.ts';
import { day, HandMade } from '../../browse/history/hand-made.ts';
import { correction, edge, episode, segment } from '../../contract/graph-rows.ts';
import { type RunSettings, search } from '../run-search.ts';
import { gamWith, SAID, ScriptedReranker, topicMemory } from './topic-memory.ts';

const GAM = ['gam', 'gam-without-tan', 'gam-without-epg', 'gam-without-mfr'].map(paperRecipeNamed);

const memory = await topicMemory();

interface Asked extends Partial<Omit<RunSettings, 'recipe'>> {
  readonly recipe?: string | Recipe;
  readonly reranker?: Reranker;
}
async function ask(query: string, { recipe = 'gam', reranker, ...settings }: Asked = {}, of = memory) {
  const view = { ...(await of.view()), reranker };
  return search(view, query, { k: 10, ...settings, recipe: recipeFrom(recipe) });
}
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id as string);
const found = ({ episodes }: SearchResult) => ids(episodes);
const scores = ({ episodes }: SearchResult) =>
  Object.fromEntries(episodes.map(({ id, why }) => [id, Number(why[0]!.score.toFixed(6))]));
const contentOf = (id: string) => SAID.find(([each]) => each === id)![3];
/** A reranker that gives each turn this score. */
const saying = (probabilities: Readonly<Record<string, number>>) =>
  new ScriptedReranker((text) => {
    const said = Object.entries(probabilities).find(([id]) => text.includes(contentOf(id)));
    return said?.[1] ?? 0;
  });
const EVEN = { t0: 0.5, t1: 0.4, t2: 0.3, t3: 0.2 };
const QUESTION = 'chess club';

describe('equations 9 and 10', () => {
  it('reach the turns of the nearest topic and of its neighbours, and no others', async () => {
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1 }) });
    // The garden is neither; the turn behind the edge shares no word with the question.
    expect(found(result).sort()).toEqual(['t0', 't1', 't2', 't3']);
    expect(result.routes[0]).toMatchObject({
      ...{ route: 'topics', end: 'found' },
      figures: { anchors: 1, neighbours: 1, candidates: 4, pairs: 0 },
    });
  });

  it('report the topics that led to a turn', async () => {
    const { episodes, facts } = await ask(QUESTION, { recipe: gamWith({ topics: 1 }) });
    const paths = Object.fromEntries(episodes.map(({ id, why }) => [id, why[0]!.path]));
    expect(paths).toMatchObject({
      t0: ['chess club, chess'],
      t2: ['chess club, chess', 'bishop, tournament'],
    });
    expect(facts.find(({ id }) => (id as string) === 'f-club')!.why[0]!.path).toEqual(['chess club, chess']);
  });

  it('never read the buffer', async () => {
    const exact = 'The chess club has a new chess board';
    for (const recipe of GAM) {
      const reranker = new ScriptedReranker(() => 0.5);
      const result = await ask(exact, { recipe, reranker });
      expect(found(result)).not.toContain('t6');
      expect(found(result).length).toBeGreaterThan(0);
      expect(ids(result.facts)).not.toContain('f-board');
      expect(reranker.asked.flatMap(({ documents }) => documents).join()).not.toContain('board');
    }
    expect(found(await ask(exact, { recipe: 'system1' }))[0]).toBe('t6');
  });

  it('return nothing without topics', async () => {
    const empty = new HandMade('b');
    await empty.commit({});
    for (const recipe of GAM) {
      const { episodes, routes } = await ask(QUESTION, { recipe }, empty);
      expect([episodes, routes[0]!.end]).toEqual([[], 'nothing']);
    }
  });
});

describe('equation 11', () => {
  it('changes nothing if no indicator is 1', async () => {
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1 }), reranker: saying(EVEN) });
    // P_sem unchanged, but t3 is verified: 0.2 · 1.2
    expect(scores(result)).toEqual({ t0: 0.5, t1: 0.4, t2: 0.3, t3: 0.24 });
    expect(found(result)).toEqual(['t0', 't1', 't2', 't3']);
  });

  it('favours turns of speakers whom the question names', async () => {
    const result = await ask('What did Bob say of the chess club?', {
      ...{ recipe: gamWith({ topics: 1 }), reranker: saying(EVEN) },
    });
    // t1: 0.4 · 1.4, t3: 0.2 · 1.4 · 1.2
    expect(scores(result)).toEqual({ t1: 0.56, t0: 0.5, t3: 0.336, t2: 0.3 });
    expect(found(result)).toEqual(['t1', 't0', 't3', 't2']);
  });

  it('favours turns that mention a time if one is asked for', async () => {
    const result = await ask('When does the chess club meet?', {
      ...{ recipe: gamWith({ topics: 1 }), reranker: saying(EVEN) },
    });
    // Only t1 mentions a time ("every week"): 0.4 · 1.4
    expect(scores(result)).toEqual({ t1: 0.56, t0: 0.5, t2: 0.3, t3: 0.24 });
  });

  it('favours turns of the asked time', async () => {
    const result = await ask('Who was at the chess club in February 2024?', {
      ...{ recipe: gamWith({ topics: 1 }), reranker: saying(EVEN) },
    });
    // t1 by its words, t2: 0.3 · 1.4, t3: 0.2 · 1.4 · 1.2
    expect(scores(result)).toEqual({ t1: 0.56, t0: 0.5, t2: 0.42, t3: 0.336 });
  });

  it('reads "last week" as the week before the present, with and without ended facts', async () => {
    for (const validity of ['current', 'any'] as const) {
      const result = await ask('Who was at the chess club last week?', {
        ...{ recipe: gamWith({ topics: 1 }), reranker: saying(EVEN) },
        ...{ validity, now: day('2024-02-28') },
      });
      expect(scores(result)).toEqual({ t1: 0.56, t0: 0.5, t2: 0.42, t3: 0.336 });
    }
  });

  it('uses the factors of the recipe, each separately', async () => {
    const question = 'When did Bob join the chess club?';
    const off = { time: 1, role: 1, confidence: 1 };
    const asked = async (factors: Partial<typeof off>) =>
      scores(
        await ask(question, {
          ...{ recipe: gamWith({ topics: 1, factors: { ...off, ...factors } }), reranker: saying(EVEN) },
        }),
      );
    expect(await asked({})).toEqual(EVEN);
    expect(await asked({ time: 2 })).toEqual({ ...EVEN, t1: 0.8 });
    expect(await asked({ role: 2 })).toEqual({ ...EVEN, t1: 0.8, t3: 0.4 });
    expect(await asked({ confidence: 2 })).toEqual({ ...EVEN, t3: 0.4 });
    // t1: 0.4 · 2 · 2, t3: 0.2 · 2 · 2
    expect(await asked({ time: 2, role: 2, confidence: 2 })).toEqual({ ...EVEN, t1: 1.6, t3: 0.8 });
  });

  it('gives equal scores to the earlier turn first', async () => {
    const reranker = new ScriptedReranker(() => 0.5);
    const recipe = gamWith({ topics: 1, factors: { time: 1, role: 1, confidence: 1 } });
    expect(found(await ask(QUESTION, { recipe, reranker }))).toEqual(['t0', 't1', 't2', 't3']);
  });
});

describe('P_sem', () => {
  it('is the reranker’s, which sees the speaker and the content', async () => {
    const reranker = saying({ ...EVEN, t2: 0.9 });
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1 }), reranker });
    expect(found(result)[0]).toBe('t2');
    expect(result.routes[0]!.figures).toMatchObject({ pairs: 4 });
    expect(result.routes[0]!.notes).toEqual([]);
    expect(reranker.asked).toHaveLength(1);
    expect(reranker.asked[0]!.query).toBe(QUESTION);
    expect(reranker.asked[0]!.documents).toContain(`Ann: ${contentOf('t2')}`);
  });

  it('is read for the nearest by cosine only', async () => {
    const reranker = new ScriptedReranker(() => 0.5);
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1, pairs: 2 }), reranker });
    expect(found(result).sort()).toEqual(['t0', 't1']);
    expect(result.routes[0]!.figures).toMatchObject({ candidates: 4, pairs: 2 });
  });

  it('is likeness without a reranker, from 0 to 1, and a note says so', async () => {
    const factors = { time: 1, role: 1, confidence: 1 };
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1, factors }) });
    expect(new Set(found(result).slice(0, 2))).toEqual(new Set(['t0', 't1']));
    const all = Object.values(scores(result));
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    for (const score of all) expect(score > 0 && score < 1).toBe(true);
    expect(result.routes[0]!.notes).toEqual([expect.stringMatching(/^no reranker/)]);
  });

  it('is likeness if the reranker fails', async () => {
    const fault = {
      model: 'broken',
      rerank: () => Promise.reject(new ModelFaultError('broken', 'so it is')),
    };
    const other = { model: 'broken', rerank: () => Promise.reject(new TypeError('secret text')) };
    const recipe = gamWith({ topics: 1 });
    const without = await ask(QUESTION, { recipe });
    for (const [reranker, code] of [
      [fault, 'model-fault'],
      [other, 'unexpected'],
    ] as const) {
      const result = await ask(QUESTION, { recipe, reranker });
      expect(result.ranked).toEqual(without.ranked);
      const { notes, end } = result.routes[0]!;
      expect([end, notes]).toEqual(['found', [expect.stringContaining(`failed (${code})`)]]);
      expect(notes.join()).not.toContain('secret');
    }
  });

  it('stops when the search is cancelled', async () => {
    const stop = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const reranker: Reranker = {
      model: 'slow',
      rerank: async (_query, _documents, { signal } = {}) => {
        signals.push(signal);
        stop.abort();
        throw new CancelledError('nothing was reranked', signal?.reason);
      },
    };
    const asked = ask(QUESTION, { reranker, signal: stop.signal });
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    expect(signals[0]?.aborted).toBe(true);
  });

  it('stops if the reranker was closed', async () => {
    const closed = { model: 'closed', rerank: () => Promise.reject(new CancelledError('it was closed')) };
    await expect(ask(QUESTION, { reranker: closed })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('is discarded if the search was cancelled meanwhile', async () => {
    const stop = new AbortController();
    const reranker = new ScriptedReranker(() => {
      stop.abort();
      return 0.5;
    });
    await expect(ask(QUESTION, { reranker, signal: stop.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('ends the route as late if it takes too long', async () => {
    const reranker: Reranker = { model: 'stuck', rerank: () => new Promise(() => undefined) };
    const { episodes, routes } = await ask(QUESTION, { reranker, routeMilliseconds: 5 });
    expect([episodes, routes[0]!.end]).toEqual([[], 'late']);
  });
});

it('commits while a reranker runs are applied: a turn that lost its text, and a fact that ended', async () => {
  const view = await memory.view();
  const reranker = new ScriptedReranker(() => {
    view.index.apply({
      nodes: { correction: [correction('run', { kind: 'retain', targets: ['t0'] })] },
      updates: [{ kind: 'fact', id: 'f-bishop', set: { invalidAt: day('2024-03-01') } }],
    });
    return 0.5;
  });
  const settings = { recipe: gamWith({ topics: 1 }), k: 10, now: day('2024-05-01') };
  const result = await search({ ...view, reranker }, QUESTION, settings);
  expect(found(result).sort()).toEqual(['t1', 't2', 't3']);
  expect(ids(result.facts)).toEqual([]);
});

describe('further results', () => {
  it('are facts in the order of their turns, and entities by number and rank of mentions', async () => {
    const reranker = saying({ ...EVEN, t2: 0.45 });
    const { facts, entities } = await ask(QUESTION, { recipe: gamWith({ topics: 1 }), reranker });
    expect(ids(facts)).toEqual(['f-club', 'f-bishop']);
    // Ranks 1 and 3 (1 + 1/3) against rank 2 (1/2).
    expect(ids(entities)).toEqual(['e-club', 'e-bishop']);
    expect(entities.map(({ why }) => why[0]!.score)).toEqual([1 + 1 / 3, 1 / 2]);
  });

  it('are facts that hold', async () => {
    const at = (now: string) => ask(QUESTION, { recipe: gamWith({ topics: 1 }), now: day(now) });
    expect(ids((await at('2024-02-25')).facts).sort()).toEqual(['f-bishop', 'f-club', 'f-ended']);
    expect(ids((await at('2024-05-01')).facts).sort()).toEqual(['f-bishop', 'f-club']);
  });

  it('are only of the kinds that the recipe names', async () => {
    const { episodes, facts, entities } = await ask(QUESTION, { recipe: gamWith({ kinds: ['fact'] }) });
    // The turns are the evidence of the facts.
    expect([ids(facts).includes('f-club'), entities, ids(episodes).includes('t1')]).toEqual([
      true,
      [],
      false,
    ]);
  });

  it('are limited to the results of the recipe', async () => {
    expect(found(await ask(QUESTION, { recipe: gamWith({ results: 1 }) }))).toHaveLength(1);
  });
});

describe('a question', () => {
  it('about a past time gets nothing from later turns', async () => {
    const result = await ask('chess club tournament', {
      asOf: day('2024-01-31'),
    });
    expect(found(result).sort()).toEqual(['t0', 't1']);
    expect(result.routes[0]!.figures).toMatchObject({ anchors: 1, neighbours: 0 });
    for (const { why } of result.episodes) expect(why[0]!.path).toBeUndefined();
  });

  it('in another language finds its topic, by words and time', async () => {
    const other = new HandMade('zh');
    const said = ['我们成立了象棋社', '象棋社有新棋盘', '番茄在花园里'];
    await other.commit({
      nodes: {
        episode: said.map((content, index) =>
          episode(`t${index}`, { content, index, speaker: '小明', validAt: day(`202${index}-05-05`) }),
        ),
        segment: [
          segment('chess', { keywords: ['象棋社'], summary: '小明的象棋社' }),
          segment('garden', { keywords: ['花园'], summary: '番茄' }),
        ],
      },
      relationships: [
        ...['t0', 't1'].map((id) => edge('IN_SEGMENT', id, 'chess')),
        edge('IN_SEGMENT', 't2', 'garden'),
      ],
    });
    const asked = (query: string) => {
      const reranker = new ScriptedReranker((text) => (text.includes('成立') ? 0.5 : 0.4));
      return ask(query, { recipe: gamWith({ topics: 1 }), reranker }, other);
    };
    expect(found(await asked('象棋社'))).toEqual(['t0', 't1']);
    // 2021 is the year of t1: 0.4 · 1.4 against 0.5; and 小明 said both.
    const { episodes } = await asked('2021年小明的象棋社');
    expect(episodes.map(({ id, why }) => [id, Number(why[0]!.score.toFixed(6))])).toEqual([
      ['t1', 0.784],
      ['t0', 0.7],
    ]);
  });

  it('in a language that memory does not contain gets some results or none', async () => {
    const { routes } = await ask('我们什么时候去北京？');
    expect(['found', 'nothing']).toContain(routes[0]!.end);
    expect(routes[0]!.failure).toBeNull();
  });
});

describe('the ablations', () => {
  it('without TAN use the nearest turns of any topic', async () => {
    const question = 'tomatoes of the chess club';
    const recipe = (flatTurns: number) => gamWith({ anchors: 'none', flatTurns });
    const result = await ask(question, { recipe: recipe(200) });
    expect(found(result)).toEqual(expect.arrayContaining(['t0', 't1', 't4', 't5']));
    expect(result.routes[0]!.figures).toMatchObject({ anchors: 0, neighbours: 0 });
    expect(found(await ask(question, { recipe: recipe(2) }))).toHaveLength(2);
  });

  it('without EPG rank topics, and return their turns in the order of the conversation', async () => {
    const reranker = new ScriptedReranker((text) => (text.includes('bishop') ? 0.9 : 0.1));
    const result = await ask(QUESTION, { recipe: gamWith({ topics: 1, candidates: 'summaries' }), reranker });
    expect(found(result)).toEqual(['t2', 't3', 't0', 't1']);
    expect(reranker.asked[0]!.documents).toContain('bishop, tournament\nA bishop was lost');
    expect(result.routes[0]!.figures).toMatchObject({ candidates: 2, pairs: 2 });
    // The tournament has a verified turn: 0.9 · 1.2
    expect(scores(result)).toEqual({ t2: 1.08, t3: 1.08, t0: 0.1, t1: 0.1 });
  });

  it('without MFR rank by cosine: no reranker, no factors', async () => {
    const reranker = new ScriptedReranker(() => 1);
    const recipe = gamWith({ topics: 1, rerank: 'cosine' });
    const named = await ask('When did Bob see the chess club?', { recipe, reranker });
    const nobody = await ask('When did the chess club see?', { recipe, reranker });
    expect(reranker.asked).toEqual([]);
    expect(scores(named)).toEqual(scores(nobody));
    expect(named.routes[0]!.notes).toEqual([]);
  });

  it('and the sweeps are recipes with distinct names', () => {
    const sweeps = gamSweeps();
    expect(new Set(sweeps.map(({ name }) => name)).size).toBe(sweeps.length);
    for (const recipe of sweeps) {
      expect(recipe.name).toMatch(/^gam-[a-z0-9-]+$/);
      expect(parseRecipe(recipe)).toEqual(recipe);
    }
    const routes = sweeps.flatMap(({ routes }) => routes.filter(({ route }) => route === 'topics'));
    const values = (name: 'time' | 'role' | 'confidence') =>
      [...new Set(routes.map((route) => (route.route === 'topics' ? route.factors[name] : 0)))].sort();
    expect(values('time')).toEqual([1, 1.2, 1.4, 1.6, 1.8, 2]);
    expect(values('confidence')).toEqual([1, 1.2, 1.4, 1.6, 1.8, 2]);
    expect(routes).toHaveLength(3 * 6 + 6);
  });
});
