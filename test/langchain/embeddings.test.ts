import { Document } from '@langchain/core/documents';
import { FakeVectorStore } from '@langchain/core/utils/testing';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { embedderFrom, MnemisEmbeddings } from '../../src/langchain/index.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { embedderContract } from '../contract/embedder.ts';
import { turn } from '../engine/memory-fixture.ts';

const hashing = new HashingEmbedder({ analyze, dimension: 64 });

/** Embeddings of somebody else's: of any length, and strict about what they take. */
class StrictEmbeddings extends MnemisEmbeddings {
  readonly asked: { readonly as: 'query' | 'passage'; readonly texts: readonly string[] }[] = [];

  override async embedDocuments(documents: string[]) {
    this.asked.push({ as: 'passage', texts: documents });
    if (documents.some((text) => text.trim() === '' || !text.isWellFormed())) throw new Error('status 400');
    return (await super.embedDocuments(documents)).map((vector) => vector.map((value) => value * 7));
  }

  override async embedQuery(question: string) {
    this.asked.push({ as: 'query', texts: [question] });
    return (await super.embedQuery(question)).map((value) => value * 3);
  }
}

const strict = () => new StrictEmbeddings({ embedder: hashing });
const over = (embeddings: ReturnType<typeof strict>, dimension = 64) =>
  embedderFrom(embeddings, { model: 'strict-1', dimension });

embedderContract('LangChain’s Embeddings', () => over(strict()));

describe('embedderFrom', () => {
  it('embeds questions and passages separately, and skips empty texts', async () => {
    const embeddings = strict();
    await over(embeddings).embed(['a cat', ' ', 'a dog'], { as: 'passage' });
    await over(embeddings).embed(['a cat?'], { as: 'query' });
    expect(embeddings.asked).toEqual([
      { as: 'passage', texts: ['a cat', 'a dog'] },
      { as: 'query', texts: ['a cat?'] },
    ]);
  });

  it('works in a memory', async () => {
    await using engine = await Mnemis.open({ path: ':memory:', embedder: over(strict()), automatic: false });
    const memory = engine.scope('ana');
    await memory.add([turn('A grey cat called Miso.'), turn('The kiln is hot.')]);
    const { episodes } = await memory.search('greying cats', { recipe: 'system1-vector' });
    expect(episodes[0]?.content).toBe('A grey cat called Miso.');
  });

  it('says what failed', async () => {
    const broken = (vectors: number[][]) =>
      embedderFrom(
        { embedDocuments: async () => vectors, embedQuery: async () => vectors[0]! },
        { model: 'broken', dimension: 2 },
      ).embed(['one'], { as: 'passage' });
    for (const vectors of [
      [],
      [[1]],
      [[1, Number.NaN]],
      [
        [1, 0],
        [0, 1],
      ],
    ])
      await expect(broken(vectors)).rejects.toMatchObject({ code: 'embedder-fault' });
    const failing = strict();
    failing.embedDocuments = () => Promise.reject(new Error('status 500'));
    await expect(over(failing).embed(['one'], { as: 'passage' })).rejects.toMatchObject({
      ...{ code: 'embeddings-failed', cause: { message: 'status 500' } },
      message: expect.not.stringContaining('one'),
    });
    for (const options of [
      { model: 'two words', dimension: 2 },
      { model: 'm', dimension: 0 },
    ])
      expect(() => embedderFrom(strict(), options)).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });

  it('stops waiting once it is cancelled', async () => {
    const stop = new AbortController();
    const silent = { embedDocuments: () => new Promise<never>(() => {}), embedQuery: async () => [1] };
    const work = embedderFrom(silent, { model: 'silent', dimension: 1 }).embed(['one'], {
      ...{ as: 'passage', signal: stop.signal },
    });
    const outcome = expect(work).rejects.toMatchObject({ code: 'cancelled' });
    stop.abort();
    await outcome;
  });
});

describe('MnemisEmbeddings', () => {
  it('gives the vectors of the embedder as lists of numbers', async () => {
    const embeddings = new MnemisEmbeddings({ embedder: hashing });
    const [vector] = await hashing.embed(['a grey cat'], { as: 'passage' });
    expect(await embeddings.embedDocuments(['a grey cat', ''])).toEqual([[...vector!], Array(64).fill(0)]);
    expect(await embeddings.embedQuery('a grey cat')).toEqual([...vector!]);
    expect(await embeddings.embedDocuments([])).toEqual([]);
  });

  it('serves a vector store', async () => {
    const embeddings = new MnemisEmbeddings({ embedder: hashing });
    const documents = ['A grey cat.', 'The kiln is hot.'].map((pageContent) => new Document({ pageContent }));
    const store = await FakeVectorStore.fromDocuments(documents, embeddings);
    expect(await store.similaritySearch('hot kilns', 1)).toMatchObject([{ pageContent: 'The kiln is hot.' }]);
  });
});
