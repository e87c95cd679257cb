import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MemorySaver, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Mnemis } from '../../src/engine.ts';
import { languageModelFrom } from '../../src/inference/models/create-language-model.ts';

describe('memory inside of somebody’s graph', () => {
  it('shows nothing of its own runs in the caller’s stream and checkpoints', async () => {
    await using engine = await Mnemis.open({ path: ':memory:' });
    const memory = engine.scope('a');
    const state = new StateSchema({ learned: z.number().default(0) });
    const checkpoints = new MemorySaver();
    const graph = new StateGraph(state)
      .addNode('remember', async () => {
        await memory.add({ content: 'I moved to Ghent.', speaker: 'Nora', at: '2026-01-01' });
        return { learned: (await memory.flush()).counts.facts };
      })
      .addEdge(START, 'remember')
      .addEdge('remember', END)
      .compile({ checkpointer: checkpoints });
    const shown: unknown[] = [];
    const options = { configurable: { thread_id: '1' }, streamMode: 'updates' as const, subgraphs: true };
    for await (const step of await graph.stream({}, options)) shown.push(step);
    expect(shown).toEqual([[[], { remember: { learned: 1 } }]]);
    expect(Object.keys(checkpoints.storage['1'] ?? {})).toEqual(['']);
    expect(JSON.stringify(checkpoints.storage)).not.toContain('Ghent');
  });

  it('shows the caller no model call of a consolidation', async () => {
    await using engine = await Mnemis.open({
      path: ':memory:',
      languageModel: languageModelFrom(new FakeListChatModel({ responses: ['{}'] })),
    });
    const memory = engine.scope('a');
    const graph = new StateGraph(new StateSchema({ calls: z.number().default(0) }))
      .addNode('remember', async () => {
        await memory.add({ content: 'I moved to Ghent.', speaker: 'Nora', at: '2026-01-01' });
        return { calls: (await memory.flush()).usage.calls };
      })
      .addEdge(START, 'remember')
      .addEdge('remember', END)
      .compile();
    const events: { readonly event: string }[] = [];
    let calls = 0;
    for await (const each of graph.streamEvents({}, { version: 'v2' })) {
      events.push(each);
      calls = Math.max(calls, each.data.output?.calls ?? 0);
    }
    expect(calls).toBeGreaterThan(0);
    expect(events.filter(({ event }) => event.includes('model') || event.includes('llm'))).toEqual([]);
    expect(JSON.stringify(events)).not.toContain('Ghent');
  });
});
