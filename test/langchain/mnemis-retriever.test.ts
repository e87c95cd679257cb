import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import type { DocumentInterface } from '@langchain/core/documents';
import { RunnableLambda } from '@langchain/core/runnables';
import { FakeTracer } from '@langchain/core/utils/testing';
import { AIMessage, createAgent, fakeModel, ToolMessage, tool } from 'langchain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Mnemis } from '../../src/engine.ts';
import { MnemisRetriever, type MnemisRetrieverOptions } from '../../src/langchain/index.ts';
import { WaitingEmbedder } from './waiting-embedder.ts';

const embedder = new WaitingEmbedder();
let engine: Mnemis;
beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:', embedder, automatic: false });
  const turn = { speaker: 'Ana', session: 's1' };
  await engine.scope('ana').add([
    { ...turn, content: 'I adopted a grey cat called Miso.', index: 0, at: '2024-01-05T10:00:00Z' },
    { ...turn, content: 'I moved to Lisbon last week.', index: 1, at: '2024-03-05T10:00:00Z' },
    { ...turn, content: 'The kiln in Lisbon is hot.', index: 2, at: '2024-03-06T10:00:00Z' },
    { ...turn, content: 'I moved to Turin yesterday.', index: 3, at: '2024-09-06T10:00:00Z', sourceId: 'x4' },
  ]);
  await engine
    .scope('ben')
    .add({ ...turn, speaker: 'Ben', content: 'I moved to Oslo.', index: 0, at: '2024-02-02' });
  for (const scope of ['ana', 'ben']) await engine.scope(scope).flush();
});
afterAll(() => engine.close());

const retriever = (options: Partial<MnemisRetrieverOptions> = {}, scope = 'ana') =>
  new MnemisRetriever({ memory: engine.scope(scope), ...options });
const joined = RunnableLambda.from((documents: DocumentInterface[]) =>
  documents.map((each) => each.pageContent).join('\n'),
);

describe('MnemisRetriever', () => {
  it('gives documents with the ids, texts and order of a search', async () => {
    const documents = await retriever().invoke('Where did Ana move?');
    const { episodes } = await engine.scope('ana').search('Where did Ana move?');
    expect(documents.map(({ id }) => id)).toEqual(episodes.map(({ id }) => id));
    expect(documents.map(({ pageContent }) => pageContent)).toContain('Ana: I moved to Lisbon last week.');
  });

  it('gives the source of each turn', async () => {
    const [first] = await retriever({ k: 1 }).invoke('moved Turin yesterday');
    expect(first?.metadata).toEqual({
      ...{
        id: first?.id,
        kind: 'episode',
        rank: 1,
        score: expect.any(Number),
        relevance: expect.any(Number),
      },
      ...{ speaker: 'Ana', role: 'user', session: 's1', index: 3, source: 'api', sourceId: 'x4' },
      validAt: '2024-09-06T10:00:00.000Z',
      why: expect.arrayContaining([
        { route: 'system1', list: expect.any(String), rank: 1, score: expect.any(Number) },
      ]),
      sources: [{ episode: first?.id, session: 's1', index: 3 }],
    });
  });

  it('gives confidence, start and end of facts', async () => {
    const facts = await retriever({ kinds: ['fact'], validity: 'any' }).invoke('Ana moved to Lisbon, Turin');
    const lisbon = facts.find(
      ({ pageContent }) => /Lisbon/.test(pageContent) && /mov|live/i.test(pageContent),
    );
    expect(lisbon?.metadata).toMatchObject({
      ...{ kind: 'fact', confidence: expect.any(Number), validAt: expect.stringMatching(/^2024-0[23]/) },
      sources: [{ session: 's1', index: 1 }],
    });
    const ended = facts.filter(({ metadata }) => metadata.invalidAt !== undefined);
    const current = await retriever({ kinds: ['fact'] }).invoke('Ana moved to Lisbon, Turin');
    const ids = current.map(({ id }) => id);
    expect(ended.filter(({ id }) => ids.includes(id))).toEqual([]);
  });

  it('gives the path to entities and categories', async () => {
    const memory = engine.scope('ilan');
    const cities = ['Porto', 'Riga', 'Turin', 'Lisbon'];
    await memory.add(
      cities.map((city) => ({ speaker: 'Ilan', at: '2024-05-01', content: `We left ${city} in the rain.` })),
    );
    await memory.flush();
    const asked = retriever({ recipe: 'system2', kinds: ['entity'] }, 'ilan');
    const found = await asked.invoke('Which cities has Ilan been to?');
    const porto = found.find(({ metadata }) => metadata.name === 'Porto');
    expect(porto?.metadata).toMatchObject({ kind: 'entity', layer: 0 });
    expect(porto?.metadata.categoryPath?.at(-1)).toBe('Porto');
    expect(found.some(({ metadata }) => metadata.layer === 1)).toBe(true);
  });

  it('returns the requested kinds, in that order, within the limits', async () => {
    const documents = await retriever({ k: 1, kinds: ['fact', 'entity', 'episode'] }).invoke('Lisbon');
    const kinds = documents.map(({ metadata }) => metadata.kind);
    expect([...new Set(kinds)]).toEqual(['fact', 'entity', 'episode']);
    expect(kinds.filter((kind) => kind === 'episode')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'entity').length).toBeLessThanOrEqual(2);
  });

  it('queries the past', async () => {
    const kinds = ['episode', 'fact', 'entity'] as const;
    const then = await retriever({ kinds, asOf: '2024-04-01' }).invoke('Where did Ana move?');
    expect(then.length).toBeGreaterThan(0);
    expect(JSON.stringify(then.filter(({ metadata }) => metadata.kind !== 'entity'))).not.toContain('Turin');
    expect(await retriever({ kinds, knownAt: '2020-01-01' }).invoke('Where did Ana move?')).toEqual([]);
  });

  it('rejects invalid options when it is constructed', () => {
    const refused = (options: object) => () => retriever(options);
    expect(refused({ recipe: 'nope' })).toThrow(expect.objectContaining({ code: 'unknown-name' }));
    for (const options of [{ k: 0 }, { kinds: [] }, { kinds: ['turn'] }, { asOf: 'soon' }, { limit: 3 }])
      expect(refused(options)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    expect(refused({ memory: engine })).toThrow('memory: is no scope of a memory');
  });

  it('never mixes two scopes', async () => {
    const kinds = ['episode', 'fact', 'entity'] as const;
    const documents = await retriever({ kinds }, 'ben').invoke('Lisbon cat moved Ana Oslo');
    expect(documents.length).toBeGreaterThan(0);
    expect(JSON.stringify(documents)).not.toMatch(/Lisbon|Miso|Ana/);
    expect(JSON.stringify(await retriever({ kinds }).invoke('Oslo Ben moved'))).not.toMatch(/Oslo|Ben/);
  });
});

describe('a cancelled call', () => {
  it('ends the search itself', async () => {
    const before = embedder.cancelled;
    const stop = new AbortController();
    const call = retriever().invoke('wait for the cat', { signal: stop.signal });
    const outcome = expect(call).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' });
    await embedder.untilWaiting(1);
    stop.abort('enough');
    await outcome;
    expect(embedder.cancelled).toBe(before + 1);
  });

  it('is also one that times out', async () => {
    await expect(retriever().invoke('wait for the cat', { timeout: 1 })).rejects.toMatchObject({
      ...{ code: 'cancelled', cause: { name: 'TimeoutError' } },
    });
  });
});

describe('in LangChain', () => {
  it('shows the search as a child run, with the outcome of each route', async () => {
    const tracer = new FakeTracer();
    await retriever({ recipe: 'system1' }).invoke('grey cat', { callbacks: [tracer], runName: 'recall' });
    await awaitAllCallbacks();
    const [run] = tracer.runs;
    expect(run).toMatchObject({ name: 'recall', run_type: 'retriever' });
    expect(run?.serialized).toMatchObject({ id: ['mnemis', 'retrievers', 'MnemisRetriever'] });
    expect(run?.child_runs).toMatchObject([
      {
        name: 'mnemis search',
        inputs: { input: 'grey cat' },
        outputs: { recipe: 'system1', routes: [{ route: 'system1', end: 'found' }] },
      },
    ]);
  });

  it('is the tool of an agent', async () => {
    const recall = tool(
      async ({ question }, config) => retriever({ k: 1 }).pipe(joined).invoke(question, config),
      {
        name: 'recall',
        description: 'Recalls what was said.',
        schema: z.object({ question: z.string() }),
      },
    );
    const model = fakeModel()
      .respondWithTools([{ name: 'recall', args: { question: 'grey cat' }, id: '1' }])
      .respond(new AIMessage('It is called Miso.'));
    const agent = createAgent({ model, tools: [recall] });
    const { messages } = await agent.invoke({ messages: 'What is my cat called?' });
    const [result] = messages.filter((message) => ToolMessage.isInstance(message));
    expect(result?.content).toBe('Ana: I adopted a grey cat called Miso.');
    expect(messages.at(-1)?.text).toBe('It is called Miso.');
  });
});
