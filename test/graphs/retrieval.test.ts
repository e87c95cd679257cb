import { Command, MemorySaver } from '@langchain/langgraph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retrievalGraph } from '../../graphs/retrieval/graph.ts';
import type { RetrievalStepsOf } from '../../graphs/retrieval/steps.ts';
import { findRecipe, recipeNames } from '../../main/papers.ts';
import { Mnemis } from '../../src/engine.ts';
import { ROUTE_NAMES } from '../../src/retrieve/recipes/recipe.ts';

let engine: Mnemis;
const names = await recipeNames();
const stepsOf: RetrievalStepsOf = async ({ scope, question, settings, begins }, { signal }) => {
  const recipe = await findRecipe(settings.recipe);
  return engine.scope(scope).retrievalSteps(question, { ...settings, recipe, begins, signal });
};
const graph = retrievalGraph(stepsOf, names);
const threads = () => {
  const threaded = retrievalGraph(stepsOf, names);
  threaded.checkpointer = new MemorySaver();
  return threaded;
};

const CITIES = ['Lisbon', 'Oslo', 'Rome', 'Lima', 'Ghent', 'Bergen', 'Porto'];
beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:' });
  const at = '2024-03-05T10:00:00Z';
  const memory = engine.scope('default');
  await memory.add({ content: 'I moved to Lisbon.', speaker: 'Ana', session: 's1', at });
  await memory.add(
    CITIES.map((city, day) => ({
      content: `I visited ${city} with my sister Nora.`,
      ...{ speaker: 'Ana', session: `trip ${city}`, at: `2024-04-0${day + 1}T10:00:00Z` },
    })),
  );
  await engine.scope('ben').add({ content: 'I moved to Oslo.', speaker: 'Ben', session: 's1', at });
  await memory.flush();
});
afterAll(() => engine.close());

const QUESTION = 'Where did Ana move?';
const EVERY_CITY = 'Which cities has Ana visited?';
interface Evidence {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
}

/** The evidence of a run, as its stream shows it. */
async function evidenceOf(
  input: { question: string },
  context: Record<string, unknown> = {},
): Promise<readonly Evidence[]> {
  for await (const event of await graph.stream(input, { streamMode: 'custom', context })) {
    const { type, items } = event as { type: string; items: readonly Evidence[] };
    if (type === 'evidence') return items;
  }
  return [];
}

describe('retrieval graph', () => {
  it('turns a question into ranked evidence and a cited answer', async () => {
    const { evidence, answer } = await graph.invoke({ question: QUESTION });
    const [first] = await evidenceOf({ question: QUESTION });
    expect(first).toMatchObject({
      kind: 'episode',
      rank: 1,
      text: 'Tue 2024-03-05 10:00, Ana: I moved to Lisbon.',
    });
    expect(evidence.episodes[0]).toBe('#1');
    expect(evidence.facts.length).toBeGreaterThan(0);
    expect(answer).toMatchObject({ answered: true, text: expect.stringMatching(/Lisbon.*\[1\]/) });
    const ids = (await evidenceOf({ question: QUESTION })).map(({ id }) => id);
    expect(ids).toContain(answer!.citations[0]!.id);
  });

  it.each(names)('finds what a search finds, and answers as ask does: %s', async (recipe) => {
    const memory = engine.scope('default');
    const question = EVERY_CITY;
    const context = { recipe, k: 3 };
    const { evidence, answer, routes } = await graph.invoke({ question }, { context });
    const shown = await evidenceOf({ question }, context);
    const searched = { recipe: await findRecipe(recipe), k: 3 };
    const answered = await memory.ask(question, searched);
    const found = answered.search;
    const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
    const shownOf = (kind: string) => ids(shown.filter((item) => item.kind === kind));
    expect([shownOf('fact'), shownOf('entity')]).toEqual([ids(found.facts), ids(found.entities)]);
    // An answer is composed from more turns than a search returns.
    expect(shownOf('episode').slice(0, found.episodes.length)).toEqual(ids(found.episodes));
    const places = (kind: string) => shownOf(kind).map((_, at) => `#${at + 1}`);
    expect(evidence).toEqual({
      ...{ episodes: places('episode'), facts: places('fact'), entities: places('entity') },
    });
    expect(answer!.text).toBe(answered.text);
    expect(Object.values(routes).map(({ route, end }) => [route, end])).toEqual(
      found.routes.map(({ route, end }) => [route, end]),
    );
  });

  it('asks the scope of the context, and answers only when it is to', async () => {
    const context = { scope: 'ben', recipe: 'system1-rag', answers: false };
    const found = await evidenceOf({ question: 'Who moved?' }, context);
    expect(found.map(({ text }) => text)).toEqual(['Tue 2024-03-05 10:00, Ben: I moved to Oslo.']);
    expect((await graph.invoke({ question: 'Who moved?' }, { context })).answer).toBeNull();
  });

  it('offers what has ended to an answer alone, and says when it held', async () => {
    const memory = engine.scope('cleo');
    const context = { scope: 'cleo', recipe: 'system1-graph' };
    const question = 'Where did Cleo live?';
    await memory.add({ content: 'I moved.', speaker: 'Cleo', session: 's1', at: '2024-03-05' });
    await memory.addFacts([
      {
        ...{ statement: 'Cleo lives in Ghent', validAt: '2022-01-01', invalidAt: '2024-03-05' },
        evidence: [{ session: 's1', index: 0 }],
      },
    ]);
    const factsOf = async (answers: boolean) =>
      (await evidenceOf({ question }, { ...context, answers })).flatMap(({ kind, text }) =>
        kind === 'fact' ? [text] : [],
      );
    expect(await factsOf(true)).toContain('fact: Cleo lives in Ghent (2022-01-01 to 2024-03-05, over then)');
    const found = await memory.search(question, { recipe: await findRecipe(context.recipe) });
    expect(await factsOf(false)).toHaveLength(found.facts.length);
    expect((await factsOf(false)).join()).not.toContain('Ghent');
  });

  it('refuses a context that is not valid, and names what is', async () => {
    const ask = (context: Record<string, unknown>) => graph.invoke({ question: QUESTION }, { context });
    await expect(ask({ routeMilliseconds: 2 ** 31 })).rejects.toThrow(/routeMilliseconds/);
    await expect(ask({ recipe: 'nope' })).rejects.toThrow(/recipe/);
    expect((await ask({ routeMilliseconds: 2 ** 31 - 1 })).routes['0']).toMatchObject({ end: 'found' });
  });

  it('runs a branch for each planned route, and tells of each', async () => {
    const steps: string[] = [];
    const stream = await graph.stream(
      { question: QUESTION },
      { streamMode: 'updates', context: { recipe: 'mnemis' } },
    );
    for await (const step of stream) steps.push(...Object.keys(step as object));
    expect(steps.toSorted()).toEqual(['compose', 'fuse', 'read', 'rerank', 'respond', 'system1', 'system2']);
  });

  it('tells of the routes that the question does not need', async () => {
    const { routes } = await graph.invoke({ question: QUESTION });
    expect(routes).toMatchObject({
      0: { route: 'system1', end: 'found' },
      1: { route: 'system2', end: 'skipped', notes: ['the question is for one thing'] },
    });
  });

  it('goes on without a branch that is late, and says so', async () => {
    const late = { recipe: 'mnemis', routeMilliseconds: 0 };
    const { routes, evidence } = await graph.invoke({ question: QUESTION }, { context: late });
    expect(routes).toMatchObject({ 0: { end: 'late' }, 1: { end: 'late', failure: 'route-late' } });
    expect(evidence.episodes).toEqual([]);
  });

  it('ends when it is cancelled', async () => {
    const stop = new AbortController();
    const slow = retrievalGraph(async (request, config) => {
      stop.abort();
      return stepsOf(request, config);
    });
    await expect(slow.invoke({ question: QUESTION }, { signal: stop.signal })).rejects.toThrow();
  });

  it('can be drawn, with labels on its edges', async () => {
    const drawn = await graph.getGraphAsync();
    const nodes = ['__start__', 'read', ...ROUTE_NAMES, 'fuse', 'rerank', 'compose', 'respond', '__end__'];
    expect(Object.keys(drawn.nodes).toSorted()).toEqual(nodes.toSorted());
    expect(drawn.drawMermaid()).toMatch(/rerank -\..*evidence only.*-> __end__/);
  });
});

const NODES = ['read', 'system1', 'system2', 'fuse', 'rerank', 'compose', 'respond'] as const;

describe('debugging a retrieval', () => {
  const context = { recipe: 'mnemis' };
  const thread = (id: string) => ({ configurable: { thread_id: id } });
  let plain: Awaited<ReturnType<typeof graph.invoke>>;
  beforeAll(async () => {
    plain = await graph.invoke({ question: EVERY_CITY }, { context });
  });

  it.each(NODES)('stops before %s, goes on without its context, replays and forks', async (node) => {
    const threaded = threads();
    const config = thread('1');
    await threaded.invoke({ question: EVERY_CITY }, { ...config, context, interruptBefore: [node] });
    expect((await threaded.getState(config)).next).toContain(node);
    // Before the first node has run, only the context says how to search.
    const resumed = await threaded.invoke(null, { ...config, ...(node === 'read' && { context }) });
    expect(resumed).toMatchObject({ evidence: plain.evidence, answer: { text: plain.answer!.text } });
    for await (const { config: at, next } of threaded.getStateHistory(config)) {
      if (!next.includes(node)) continue;
      const replayed = await threaded.invoke(null, { ...at, context });
      expect(replayed.evidence).toEqual(plain.evidence);
      const before = { read: '__start__', system1: 'read', system2: 'read' }[node as string] ?? undefined;
      const asNode =
        before ?? { fuse: 'system1', rerank: 'fuse', compose: 'rerank', respond: 'compose' }[node as string];
      const fork = await threaded.updateState(at, { question: QUESTION }, asNode);
      const forked = await threaded.invoke(null, { ...fork, context });
      if (node !== 'compose' && node !== 'respond') expect(forked.answer!.text).toMatch(/moved to Lisbon/);
      break;
    }
  });

  it('computes again what a new process does not have', async () => {
    const threaded = threads();
    await threaded.invoke({ question: EVERY_CITY }, { ...thread('1'), context, interruptBefore: ['rerank'] });
    const { values } = await threaded.getState(thread('1'));
    const file = JSON.parse(JSON.stringify(values));
    const elsewhere = threads();
    await elsewhere.updateState(thread('2'), file, 'fuse');
    const resumed = await elsewhere.invoke(null, thread('2'));
    expect(resumed).toMatchObject({ evidence: plain.evidence, answer: { text: plain.answer!.text } });
  });

  it('answers from the evidence that a fork leaves', async () => {
    const threaded = threads();
    await threaded.invoke({ question: QUESTION }, { ...thread('1'), interruptBefore: ['compose'] });
    const state = await threaded.getState(thread('1'));
    const none = { episodes: [], facts: [], entities: [] };
    const fork = await threaded.updateState(state.config, { evidence: none });
    const { answer } = await threaded.invoke(null, fork);
    expect(answer).toMatchObject({ answered: false, citations: [] });
    const second = { ...none, episodes: [state.values.evidence.episodes[1]!] };
    const other = await threaded.updateState(state.config, { evidence: second });
    const { answer: left } = await threaded.invoke(null, other);
    expect(left!.citations.length).toBeLessThan(2);
  });

  it('keeps a thread in its scope', async () => {
    const threaded = threads();
    const ben = { scope: 'ben', answers: false };
    await threaded.invoke({ question: 'Who moved?' }, { ...thread('1'), context: ben });
    await expect(
      threaded.invoke({ question: 'Who moved?' }, { ...thread('1'), context: { scope: 'default' } }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
    await threaded.updateState(thread('1'), { scope: 'default' });
    const mine = { ...thread('1'), context: { answers: false } };
    const { evidence } = await threaded.invoke({ question: 'Who moved?' }, mine);
    const turns = await engine.scope('ben').episodes(evidence.episodes);
    expect(turns.map(({ speaker }) => speaker)).toEqual(['Ben']);
    const smuggled = { question: 'Who moved?', scope: 'default' } as { question: string };
    expect((await threaded.invoke(smuggled, mine)).evidence).toEqual(evidence);
  });

  it('begins anew with each question of a thread', async () => {
    const threaded = threads();
    await threaded.invoke({ question: EVERY_CITY }, { ...thread('1'), context });
    const second = await threaded.invoke(
      { question: 'Who moved?' },
      { ...thread('1'), context: { recipe: 'system1-rag' } },
    );
    expect(Object.values(second.routes).map(({ route }) => route)).toEqual(['system1']);
  });

  it('keeps small plain values: no search costs more than 20 kB of history', async () => {
    for (const recipe of ['auto', 'mnemis', 'everything']) {
      const threaded = threads();
      const config = thread(recipe);
      const largest = { bytes: 0 };
      const streamMode = ['updates', 'values', 'debug', 'custom'] as const;
      const stream = await threaded.stream(
        { question: EVERY_CITY },
        { ...config, context: { recipe }, streamMode: [...streamMode] },
      );
      for await (const [, event] of stream) {
        const text = JSON.stringify(event);
        largest.bytes = Math.max(largest.bytes, text.length);
      }
      expect(largest.bytes).toBeLessThanOrEqual(16_000);
      const { values } = await threaded.getState(config);
      expect(JSON.parse(JSON.stringify(values))).toEqual(values);
      let bytes = 0;
      for await (const snapshot of threaded.getStateHistory(config)) bytes += JSON.stringify(snapshot).length;
      if (recipe !== 'everything') expect(bytes).toBeLessThanOrEqual(20_000);
      process.stderr.write(`${recipe}: ${bytes} bytes of history, largest event ${largest.bytes}\n`);
    }
  });
});

describe('Global Selection', () => {
  const thread = { configurable: { thread_id: '1' } };

  it('is a subgraph that shows what was offered and picked, list by list', async () => {
    const lists: object[] = [];
    const stream = await graph.stream(
      { question: EVERY_CITY },
      { subgraphs: true, streamMode: 'updates', context: { recipe: 'system2-local' } },
    );
    for await (const [namespace, update] of stream) {
      if (namespace.length === 0) continue;
      const { select } = update as { select?: { walk: { lists: object[] } } };
      if (select) lists.push(select.walk.lists.at(-1)!);
    }
    expect(lists.length).toBeGreaterThan(0);
    expect(lists[0]).toMatchObject({
      offered: expect.any(Number),
      names: expect.any(Array),
      picks: expect.any(Array),
    });
  });

  it('can be stopped before each list, and walks elsewhere after a fork of its picks', async () => {
    const threaded = threads();
    const context = { recipe: 'system2-local', breakpoints: ['offer'] };
    await threaded.invoke({ question: EVERY_CITY }, { ...thread, context });
    let stops = 0;
    for (;;) {
      const { next } = await threaded.getState(thread, { subgraphs: true });
      if (next.length === 0) break;
      stops += 1;
      await threaded.invoke(new Command({ resume: true }), thread);
    }
    expect(stops).toBeGreaterThan(1);
    const { values } = await threaded.getState(thread);
    const plain = await graph.invoke({ question: EVERY_CITY }, { context: { recipe: 'system2-local' } });
    expect(values.evidence).toEqual(plain.evidence);
  });
});
