import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError } from '../../src/errors/index.ts';
import type { Logger } from '../../src/model/logger.ts';
import type { RouteTrace } from '../../src/model/retrieved-item.ts';
import { SYSTEM2 } from '../../src/retrieve/categories/defaults.ts';
import { type Recipe, recipe } from '../../src/retrieve/recipes/recipe.ts';
import { SYSTEM1 } from '../../src/retrieve/similarity/defaults.ts';
import { Limit } from '../../src/retrieve/within-time.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';

const QUESTION = 'Which cities did Ann see?';

async function memoryOf(languageModel?: FakeLanguageModel, logger?: Logger) {
  const engine = await Mnemis.open({
    path: ':memory:',
    profile: 'local',
    ...(languageModel && { languageModel }),
    ...(logger && { logger }),
  });
  const memory = engine.scope('a');
  await memory.add(
    ['Oslo', 'Rome', 'Lima', 'Bergen', 'Paris'].map((city, index) => ({
      content: `I saw ${city} in the rain.`,
      speaker: 'Ann',
      session: 's',
      index,
      at: '2024-01-01',
    })),
  );
  await memory.flush();
  return memory;
}

const ends = (routes: readonly RouteTrace[]) => routes.map(({ route, end }) => `${route} ${end}`);
const both = (more: Partial<Recipe> = {}, system2 = SYSTEM2): Recipe =>
  recipe('mine', 'both', { routes: [SYSTEM1, system2], ...more });

describe('the routes of a search', () => {
  it('are each reported in the trace', async () => {
    const { routes } = await (await memoryOf()).search(QUESTION, { recipe: both() });
    expect(ends(routes)).toEqual(['system1 found', 'system2 found']);
    expect(routes[0]).toMatchObject({ failure: null, notes: [], usage: { calls: 0 } });
    expect(routes[0]!.found.episodes).toBe(5);
    expect(routes.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
  });

  it('lose only their own results if a model does not answer in time', async () => {
    const silent = new FakeLanguageModel(() => new Promise<never>(() => undefined));
    const memory = await memoryOf(silent);
    const { routes, episodes } = await memory.search(QUESTION, { recipe: both(), routeMilliseconds: 300 });
    expect(ends(routes)).toEqual(['system1 found', 'system2 late']);
    expect(routes[1]).toMatchObject({ failure: 'route-late', found: { episodes: 0 } });
    expect(episodes.length).toBeGreaterThan(0);
  });

  it('find nothing and throw nothing with a limit of zero', async () => {
    const { routes, episodes } = await (await memoryOf()).search(QUESTION, {
      recipe: both(),
      routeMilliseconds: 0,
    });
    expect(ends(routes)).toEqual(['system1 late', 'system2 late']);
    expect(episodes).toEqual([]);
  });

  it('may take as long as a timer allows, and longer without a limit', async () => {
    const memory = await memoryOf();
    const { routes } = await memory.search(QUESTION, { recipe: both(), routeMilliseconds: 2 ** 31 - 1 });
    expect(ends(routes)).toEqual(['system1 found', 'system2 found']);
    for (const routeMilliseconds of [2 ** 31, Number.POSITIVE_INFINITY])
      await expect(memory.search(QUESTION, { routeMilliseconds })).rejects.toMatchObject({
        code: 'invalid-input',
      });
  });

  it('may be late before they begin', async () => {
    const memory = await memoryOf();
    const run = await memory.retrievalSteps(QUESTION, {
      ...{ recipe: both(), routeMilliseconds: 0, begins: true },
    });
    const late = run.route(0, {});
    const until = performance.now() + 20;
    while (performance.now() < until); // the timer is due before the route gets its turn
    expect((await late).trace).toMatchObject({ end: 'late', failure: 'route-late' });
  });

  it('are skipped on a defect, which the log reports with its place and without text', async () => {
    const warnings: string[] = [];
    const broken = new FakeLanguageModel(() => {
      throw new TypeError('I saw Oslo');
    });
    const memory = await memoryOf(broken, { warn: (message) => warnings.push(message) });
    const { routes, episodes } = await memory.search(QUESTION, { recipe: both() });
    expect(ends(routes)).toEqual(['system1 found', 'system2 failed']);
    expect(routes[1]!.failure).toBe('unexpected');
    expect(episodes.length).toBeGreaterThan(0);
    expect(warnings).toEqual([
      expect.stringMatching(/route system2 .* a defect: TypeError at .*run-routes\.test/),
    ]);
    expect(warnings.join()).not.toContain('Oslo');
  });

  it('stop on a cancel', async () => {
    const stop = new AbortController();
    const waiting = new FakeLanguageModel(() => {
      stop.abort();
      return new Promise<never>(() => undefined);
    });
    const memory = await memoryOf(waiting);
    await expect(memory.search(QUESTION, { recipe: both(), signal: stop.signal })).rejects.toSatisfy(
      CancelledError.isInstance,
    );
  });

  it('depend on the question and on what memory contains, and report why', async () => {
    const memory = await memoryOf();
    const when = (condition: object) => both({}, { ...SYSTEM2, when: condition });
    const run = async (question: string, condition: object) =>
      (await memory.search(question, { recipe: when(condition) })).routes[1]!;
    expect(await run(QUESTION, { asks: 'all' })).toMatchObject({
      end: 'found',
      notes: ['the question is for all of something'],
    });
    expect(await run('When did Ann see Rome?', { asks: 'all' })).toMatchObject({
      end: 'skipped',
      notes: ['the question is for one thing'],
    });
    const { end, notes } = await run(QUESTION, { holds: { facts: 9_999 } });
    expect([end, notes]).toEqual([
      'skipped',
      [expect.stringMatching(/^memory holds \d+ facts, and it needs 9999$/)],
    ]);
    expect(await run(QUESTION, { holds: { categories: 1 } })).toMatchObject({ end: 'found' });
  });

  it('check their limit in synchronous loops', () => {
    const stop = new AbortController();
    new Limit(1_000, stop.signal).check();
    expect(() => new Limit(-1).check()).toThrow(expect.objectContaining({ code: 'route-late' }));
    stop.abort();
    expect(() => new Limit(1_000, stop.signal).check()).toThrow(
      expect.objectContaining({ code: 'cancelled' }),
    );
  });
});
