import { MemorySaver } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retrievalGraph } from '../../graphs/retrieval/graph.ts';
import type { BeginSearch, RetrievalRequest } from '../../graphs/retrieval/nodes.ts';
import { findRecipe } from '../../main/papers.ts';
import { Mnemis } from '../../src/engine.ts';
import type { RouteTrace } from '../../src/model/retrieved-item.ts';
import { ROUTE_NAMES } from '../../src/retrieve/recipes/recipe.ts';

let engine: Mnemis;
const begin: BeginSearch = async ({ scope, question, recipe, ...options }) =>
  engine.scope(scope).beginSearch(question, { ...options, recipe: await findRecipe(recipe) });
const graph = retrievalGraph(begin);

beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:' });
  const at = '2024-03-05T10:00:00Z';
  await engine.scope('default').add({ content: 'I moved to Lisbon.', speaker: 'Ana', session: 's1', at });
  await engine.scope('ben').add({ content: 'I moved to Oslo.', speaker: 'Ben', session: 's1', at });
  await engine.scope('default').flush();
});
afterAll(() => engine.close());

const QUESTION = 'Where did Ana move?';
const routesOf = ({ trace }: { trace?: unknown }) => (trace as { routes: RouteTrace[] }).routes;

describe('retrieval graph', () => {
  it('turns a question into ranked evidence and a cited answer', async () => {
    const { evidence, answer } = await graph.invoke({ question: QUESTION });
    expect(evidence[0]).toEqual({
      id: expect.any(String),
      kind: 'episode',
      rank: 1,
      score: expect.any(Number),
      text: 'Tue 2024-03-05 10:00, Ana: I moved to Lisbon.',
    });
    expect(new Set(evidence.map(({ kind }) => kind))).toContain('fact');
    expect(answer).toMatchObject({ answered: true, text: expect.stringMatching(/Lisbon.*\[1\]/) });
    expect(evidence.map(({ id }) => id)).toContain(answer!.citations[0]!.id);
  });

  it('finds what a search finds, and answers as ask does', async () => {
    for (const recipe of ['mnemis', 'system1-graph']) {
      const memory = engine.scope('default');
      const { evidence, answer } = await graph.invoke({ question: QUESTION, recipe, k: 3 });
      const searched = { recipe: await findRecipe(recipe), k: 3 };
      const found = await memory.search(QUESTION, searched);
      const ids = [...found.episodes, ...found.facts, ...found.entities].map(({ id }) => id);
      expect(evidence.map(({ id }) => id)).toEqual(ids);
      expect(answer!.text).toBe((await memory.ask(QUESTION, searched)).text);
    }
  });

  it('asks the scope and the recipe that the state names, and answers only when it is to', async () => {
    const asked = { question: 'Who moved?', scope: 'ben', recipe: 'system1-rag', answers: false };
    const { evidence, answer } = await graph.invoke(asked);
    expect(evidence.map(({ text }) => text)).toEqual(['Tue 2024-03-05 10:00, Ben: I moved to Oslo.']);
    expect(answer).toBeNull();
  });

  it('offers what has ended to an answer alone, and says when it held', async () => {
    const memory = engine.scope('cleo');
    const asked = { question: 'Where did Cleo live?', scope: 'cleo', recipe: 'system1-graph' };
    await memory.add({ content: 'I moved.', speaker: 'Cleo', session: 's1', at: '2024-03-05' });
    await memory.addFacts([
      {
        ...{ statement: 'Cleo lives in Ghent', validAt: '2022-01-01', invalidAt: '2024-03-05' },
        evidence: [{ session: 's1', index: 0 }],
      },
    ]);
    const factsOf = async (answers: boolean) =>
      (await graph.invoke({ ...asked, answers })).evidence.flatMap(({ kind, text }) =>
        kind === 'fact' ? [text] : [],
      );
    expect(await factsOf(true)).toContain('fact: Cleo lives in Ghent (2022-01-01 to 2024-03-05, over then)');
    const found = await memory.search(asked.question, { recipe: await findRecipe(asked.recipe) });
    expect(await factsOf(false)).toHaveLength(found.facts.length);
    expect((await factsOf(false)).join()).not.toContain('Ghent');
  });

  it('refuses a time that no timer takes', async () => {
    const asked = { question: QUESTION, answers: false };
    await expect(graph.invoke({ ...asked, routeMilliseconds: 2 ** 31 })).rejects.toThrow(/routeMilliseconds/);
    const { trace } = await graph.invoke({ ...asked, routeMilliseconds: 2 ** 31 - 1 });
    expect(routesOf({ trace })[0]).toMatchObject({ end: 'found' });
  });

  it('runs a branch for each route of the recipe, and tells of each', async () => {
    const steps: string[] = [];
    let final: { trace?: unknown } = {};
    const stream = await graph.stream(
      { question: QUESTION, recipe: 'mnemis' },
      { streamMode: ['updates', 'values'] as const },
    );
    for await (const [mode, step] of stream) {
      if (mode === 'updates') steps.push(...Object.keys(step as object));
      else final = step as typeof final;
    }
    expect(steps.toSorted()).toEqual(['fuse', 'plan', 'respond', 'system1', 'system2']);
    expect(routesOf(final)).toMatchObject([
      { route: 'system1', end: 'found' },
      { route: 'system2', end: expect.stringMatching(/found|nothing/) },
    ]);
  });

  it('goes on without a branch that fails or is late, and says so', async () => {
    const broken = retrievalGraph(async (request) => {
      const run = await begin({ ...request, recipe: 'mnemis', routeMilliseconds: 0 });
      const real = await begin({ ...request, recipe: 'mnemis' });
      // The second route is given no time; the first runs as ever.
      return { ...real, route: (place) => (place === 1 ? run.route(place) : real.route(place)) };
    });
    const { trace, evidence } = await broken.invoke({ question: QUESTION });
    expect(routesOf({ trace })).toMatchObject([
      { route: 'system1', end: 'found', failure: null },
      { route: 'system2', end: 'late', failure: 'route-late' },
    ]);
    expect(evidence[0]!.text).toContain('Lisbon');
  });

  it('ends when it is cancelled', async () => {
    const stop = new AbortController();
    const slow = retrievalGraph(async (request: RetrievalRequest) => {
      stop.abort();
      return begin(request);
    });
    await expect(slow.invoke({ question: QUESTION }, { signal: stop.signal })).rejects.toThrow();
  });

  it('begins anew with each question of a thread, and keeps no search in its checkpoints', async () => {
    const kept = new MemorySaver();
    const threaded = retrievalGraph(begin);
    threaded.checkpointer = kept;
    const config = { configurable: { thread_id: '1' } };
    await threaded.invoke({ question: QUESTION, recipe: 'mnemis' }, config);
    const second = await threaded.invoke({ question: 'Who moved?', recipe: 'system1-rag' }, config);
    expect(routesOf(second).map(({ route }) => route)).toEqual(['system1']);
    expect(Object.keys(second.outcomes)).toEqual(['0']);
    expect((await threaded.getState(config)).values).not.toHaveProperty('search');
  });

  it('passes on what the engine throws', async () => {
    await expect(graph.invoke({ question: 'a', recipe: 'nope' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
  });

  it('can be drawn', async () => {
    const drawn = await graph.getGraphAsync();
    const nodes = ['__start__', 'plan', 'fuse', ...ROUTE_NAMES, 'respond', '__end__'];
    expect(Object.keys(drawn.nodes).toSorted()).toEqual(nodes.toSorted());
    expect(drawn.drawMermaid()).toContain('system2');
  });
});
