import { HumanMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { createAgent, fakeModel, type ToolRuntime, tool } from 'langchain';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { MnemisStore } from '../../../src/langgraph/store/mnemis-store.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { freshPath, graphOf, open } from '../../engine/memory-fixture.ts';

const AGENTS = 50;
const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function engineAt(path: string): Promise<Mnemis> {
  const engine = await open(path, { embedder: new HashingEmbedder({ analyze }), automatic: false });
  engines.push(engine);
  return engine;
}

describe('a graph with the store', () => {
  it(`loses no write of ${AGENTS} concurrent agents, and shows each its own`, async () => {
    const memory = (await engineAt(freshPath())).scope('team');
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('work', async (_state, config) => {
        const agent = String(config.configurable?.agent);
        const store = config.store as BaseStore;
        const own = ['agents', agent];
        for (let step = 0; step < 3; step++) {
          const before = (await store.get(own, 'steps'))?.value.step ?? -1;
          await Promise.all([
            store.put(own, 'steps', { step: before + 1 }),
            store.put(own, `note ${step}`, { text: `agent ${agent} saw harbour ${step}` }),
            store.put(['board'], 'last', { agent, step }),
          ]);
        }
        const found = await store.search(own, { query: 'Which harbour?', limit: 100 });
        const turn = { content: `Agent ${agent} is done.`, at: '2024-05-01', session: agent };
        await memory.add(turn);
        return {
          messages: [
            new HumanMessage(
              found
                .map(({ key }) => key)
                .sort()
                .join(),
            ),
          ],
        };
      })
      .addEdge(START, 'work')
      .compile({ store: new MnemisStore({ memory }) });
    const runs = await Promise.all(
      Array.from({ length: AGENTS }, (_, agent) =>
        graph.invoke({ messages: [] }, { configurable: { agent: agent + 1 } }),
      ),
    );
    for (const { messages } of runs) expect(messages[0]?.text).toBe('note 0,note 1,note 2,steps');
    const steps = await memory.items.search(['agents'], { filter: { step: 2 }, limit: 1_000 });
    expect(steps).toHaveLength(AGENTS);
    const { item, episode } = (await graphOf(memory)).nodes;
    expect(item).toHaveLength(AGENTS * 9);
    expect(item.filter(({ expiredAt }) => expiredAt === null)).toHaveLength(AGENTS * 4 + 1);
    expect(episode).toHaveLength(AGENTS);
  });

  it('is available to the tools of an agent', async () => {
    const memory = (await engineAt(':memory:')).scope('ann');
    const note = tool(
      async ({ text }, { store }: ToolRuntime) => {
        // Typed as the store of LangChain's core, which it is not.
        await (store as unknown as BaseStore).put(['notes'], 'latest', { text });
        return 'noted';
      },
      { name: 'note', description: 'puts a note down', schema: z.object({ text: z.string() }) },
    );
    const model = fakeModel()
      .respondWithTools([{ name: 'note', args: { text: 'buy clay' } }])
      .respondWithTools([]);
    const agent = createAgent({ model, tools: [note], store: new MnemisStore({ memory }) });
    await agent.invoke({ messages: [new HumanMessage('Note: buy clay')] });
    expect(await memory.items.get(['notes'], 'latest')).toMatchObject({ value: { text: 'buy clay' } });
  });

  it('shows one scope nothing of another, though both use one file and the same names', async () => {
    const engine = await engineAt(':memory:');
    const [ann, ben] = ['ann', 'ben'].map((name) => new MnemisStore({ memory: engine.scope(name) })) as [
      MnemisStore,
      MnemisStore,
    ];
    await ann.put(['users', '1'], 'secret', { text: 'the zirconium ring' });
    await ben.put(['users', '10'], 'other', { text: 'a heron' });
    const seen = [
      await ben.get(['users', '1'], 'secret'),
      await ben.search(['users', '1']),
      await ben.search([], { query: 'zirconium ring' }),
      await ben.search([], { filter: { text: { $ne: '' } } }),
      await ben.listNamespaces(),
      await ben.listNamespaces({ maxDepth: 1 }),
    ];
    expect(JSON.stringify(seen)).not.toMatch(/zirconium|secret|"1"/);
    expect(seen.slice(0, 2)).toEqual([null, []]);
  });

  it('takes only the scope of a memory', () => {
    const make = (options: object) => () => new MnemisStore(options as { memory: never });
    expect(make({})).toThrow(/memory/);
    expect(make({ memory: 'ann' })).toThrow(/scope of a memory/);
    expect(make({ memory: { items: {} }, extra: 1 })).toThrow(/unknown field/);
  });
});
