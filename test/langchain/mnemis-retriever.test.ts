import type { DocumentInterface } from '@langchain/core/documents';
import { RunnableLambda, RunnableSequence } from '@langchain/core/runnables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { MnemisRetriever } from '../../src/langchain/mnemis-retriever.ts';

let engine: Mnemis;
beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:' });
  const turn = { speaker: 'Ana', session: 's1' };
  await engine.scope('ana').add([
    { ...turn, content: 'I adopted a grey cat called Miso.', index: 0, at: '2024-01-05T10:00:00Z' },
    { ...turn, content: 'I moved to Lisbon last week.', index: 1, at: '2024-03-05T10:00:00Z' },
    { ...turn, content: 'The kiln in Lisbon is hot.', index: 2, at: '2024-03-06T10:00:00Z' },
  ]);
  await engine
    .scope('ben')
    .add({ ...turn, speaker: 'Ben', content: 'I moved to Oslo.', index: 0, at: '2024-02-02' });
  for (const scope of ['ana', 'ben']) await engine.scope(scope).flush();
});
afterAll(() => engine.close());

const retriever = (options: object = {}, scope = 'ana') =>
  new MnemisRetriever({ memory: engine.scope(scope), ...options });

describe('MnemisRetriever', () => {
  it('gives documents with the ids, texts and order of a search', async () => {
    const documents = await retriever().invoke('Where did Ana move?');
    const { episodes } = await engine.scope('ana').search('Where did Ana move?');
    expect(documents.map(({ id }) => id)).toEqual(episodes.map(({ id }) => id));
    expect(documents[0]?.pageContent).toBe('Ana: I moved to Lisbon last week.');
  });

  it('says where each document comes from', async () => {
    const [first] = await retriever().invoke('Where did Ana move?');
    expect(first?.metadata).toMatchObject({
      kind: 'episode',
      rank: 1,
      score: expect.any(Number),
      speaker: 'Ana',
      session: 's1',
      validAt: '2024-03-05T10:00:00.000Z',
      sources: [{ episode: first?.id, session: 's1', index: 1 }],
    });
    expect(first?.metadata.why[0]).toMatchObject({ route: 'system1', rank: expect.any(Number) });
  });

  it('answers a batch in its order', async () => {
    const batch = await retriever({ k: 1 }).batch(['grey cat', 'hot kiln']);
    expect(batch.map(([document]) => document?.pageContent)).toEqual([
      'Ana: I adopted a grey cat called Miso.',
      'Ana: The kiln in Lisbon is hot.',
    ]);
  });

  it('returns the kinds that are asked for, in that order, within the budgets', async () => {
    const documents = await retriever({ k: 1, kinds: ['fact', 'entity', 'episode'] }).invoke('Lisbon');
    const kinds = documents.map(({ metadata }) => metadata.kind);
    expect([...new Set(kinds)]).toEqual(['fact', 'entity', 'episode']);
    expect(kinds.filter((kind) => kind === 'episode')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'entity').length).toBeLessThanOrEqual(2);
    expect(documents.find(({ metadata }) => metadata.kind === 'entity')?.metadata.validAt).toBeUndefined();
  });

  it('takes a recipe by name', async () => {
    await expect(retriever({ recipe: 'nope' }).invoke('Lisbon')).rejects.toMatchObject({
      code: 'unknown-name',
    });
    expect(await retriever({ recipe: 'system1-rag', kinds: ['fact'] }).invoke('Lisbon')).toEqual([]);
  });

  it('runs inside a sequence', async () => {
    const chain = RunnableSequence.from<string, string>([
      retriever({ k: 1 }),
      RunnableLambda.from((documents: DocumentInterface[]) =>
        documents.map((each) => each.pageContent).join(),
      ),
    ]);
    expect(await chain.invoke('grey cat')).toBe('Ana: I adopted a grey cat called Miso.');
  });

  it('never mixes two scopes', async () => {
    const kinds = ['episode', 'fact', 'entity'];
    const documents = await retriever({ kinds }, 'ben').invoke('Lisbon cat moved Ana Oslo');
    expect(documents.length).toBeGreaterThan(0);
    expect(JSON.stringify(documents)).not.toMatch(/Lisbon|Miso|Ana/);
    expect(JSON.stringify(await retriever({ kinds }).invoke('Oslo Ben moved'))).not.toMatch(/Oslo|Ben/);
  });
});
