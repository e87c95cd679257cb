import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retrievalGraph } from '../../graphs/retrieval/graph.ts';
import { Mnemis } from '../../src/engine.ts';

let engine: Mnemis;
const graph = retrievalGraph((scope, question, recipe) =>
  engine.scope(scope).search(question, recipe === undefined ? {} : { recipe }),
);

beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:' });
  const at = '2024-03-05T10:00:00Z';
  await engine.scope('default').add({ content: 'I moved to Lisbon.', speaker: 'Ana', session: 's1', at });
  await engine.scope('ben').add({ content: 'I moved to Oslo.', speaker: 'Ben', session: 's1', at });
  await engine.scope('default').flush();
});
afterAll(() => engine.close());

describe('retrieval graph', () => {
  it('turns a question into ranked evidence', async () => {
    const { evidence } = await graph.invoke({ question: 'Where did Ana move?' });
    expect(evidence[0]).toEqual({
      id: expect.any(String),
      kind: 'episode',
      rank: 1,
      score: expect.any(Number),
      text: 'Ana: I moved to Lisbon.',
    });
    expect(new Set(evidence.map(({ kind }) => kind))).toContain('fact');
  });

  it('asks the scope and the recipe that the state names', async () => {
    const { evidence } = await graph.invoke({ question: 'Who moved?', scope: 'ben', recipe: 'system1-rag' });
    expect(evidence.map(({ text }) => text)).toEqual(['Ben: I moved to Oslo.']);
  });

  it('passes on what the engine throws', async () => {
    await expect(graph.invoke({ question: 'a', recipe: 'nope' })).rejects.toMatchObject({
      code: 'unknown-name',
    });
  });

  it('can be drawn', async () => {
    const drawn = await graph.getGraphAsync();
    expect(Object.keys(drawn.nodes)).toEqual(['__start__', 'search', '__end__']);
    expect(drawn.drawMermaid()).toContain('search');
  });
});
