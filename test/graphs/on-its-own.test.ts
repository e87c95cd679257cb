import { END, MemorySaver, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Mnemis } from '../../src/engine.ts';

describe('memory inside of somebody’s graph', () => {
  it('shows nothing of its own runs in the caller’s stream and checkpoints', async () => {
    const engine = await Mnemis.open({ path: ':memory:' });
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
    await engine.close();
  });
});
