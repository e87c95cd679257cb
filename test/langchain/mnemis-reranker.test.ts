import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { BaseRetriever } from '@langchain/core/retrievers';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { RunnableLambda } from '@langchain/core/runnables';
import { FakeRetriever } from '@langchain/core/utils/testing';
import 'langchain'; // lets runnables see the configuration that they are called with
import { afterAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { CancelledError } from '../../src/errors/index.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { Reranker, RerankOptions } from '../../src/inference/reranker.ts';
import { MnemisReranker, MnemisRetriever } from '../../src/langchain/index.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { turn } from '../engine/memory-fixture.ts';

/** The share of the question's words that a document has; waits for its signal when it is asked to `wait`. */
class WordReranker implements Reranker {
  readonly model = 'by-words';
  readonly waiting: (() => void)[] = [];

  async rerank(question: string, documents: readonly string[], { signal }: RerankOptions = {}) {
    if (question === 'wait') await this.#untilAborted(signal);
    const asked = analyze(question);
    return documents.map((text) => {
      const words = new Set(analyze(text));
      return asked.filter((word) => words.has(word)).length / Math.max(1, asked.length);
    });
  }

  #untilAborted(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new CancelledError('nothing', signal.reason)));
      this.waiting.pop()?.();
    });
  }

  /** Resolves when the next one waits. */
  nextWaiting(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
const byWords = new WordReranker();

/** As LangChain's ContextualCompressionRetriever, which passes callbacks and no signal. */
class CompressingRetriever extends BaseRetriever {
  override readonly lc_namespace = ['test'];
  readonly #base: BaseRetriever;
  readonly #compress: (documents: Document[]) => Promise<Document[]>;

  constructor(base: BaseRetriever, compress: (documents: Document[]) => Promise<Document[]>) {
    super();
    this.#base = base;
    this.#compress = compress;
  }

  override async _getRelevantDocuments(question: string, run?: CallbackManagerForRetrieverRun) {
    return this.#compress(await this.#base.invoke(question, run?.getChild('base_retriever')));
  }
}

const DOCUMENTS = [
  new Document({ pageContent: 'The kiln is hot.', metadata: { page: 1 }, id: 'a' }),
  new Document({ pageContent: 'A grey cat.', metadata: { page: 2 } }),
  new Document({ pageContent: 'A grey cat called Miso.', metadata: { page: 3, score: 0.1 } }),
  new Document({ pageContent: 'Cold.', metadata: {} }),
];
const engine = await Mnemis.open({ path: ':memory:', embedder: new HashingEmbedder({ analyze }) });
afterAll(() => engine.close());

describe('MnemisReranker', () => {
  it('orders any documents, with their scores, and does not change the given ones', async () => {
    const reranker = new MnemisReranker({ reranker: byWords });
    expect(BaseDocumentCompressor.isBaseDocumentCompressor(reranker)).toBe(true);
    const given = structuredClone(DOCUMENTS.map((document) => ({ ...document })));
    const found = await reranker.compressDocuments(DOCUMENTS, 'grey cat Miso');
    expect(found.map(({ metadata }) => metadata)).toEqual([
      { page: 3, score: 0.1, relevanceScore: 1 },
      { page: 2, relevanceScore: 2 / 3 },
      { page: 1, relevanceScore: 0 },
      { relevanceScore: 0 },
    ]);
    expect(found[2]).toMatchObject({ id: 'a', pageContent: 'The kiln is hot.' });
    expect(DOCUMENTS.map((document) => ({ ...document }))).toEqual(given);
    expect(await reranker.compressDocuments([], 'grey')).toEqual([]);
  });

  it('keeps the best', async () => {
    const reranker = new MnemisReranker({ reranker: byWords, topN: 1 });
    const found = await reranker.compressDocuments(DOCUMENTS, 'hot kiln');
    expect(found.map(({ id }) => id)).toEqual(['a']);
    for (const options of [{ topN: 0 }, { topM: 1 }, { reranker: {} }])
      expect(() => new MnemisReranker({ reranker: byWords, ...options } as never)).toThrow(
        expect.objectContaining({ code: 'invalid-input' }),
      );
  });

  it('compresses what a retriever finds, in a chain', async () => {
    const memory = engine.scope('ana');
    await memory.add([turn('I saw a cat.'), turn('My cat Miso is grey.'), turn('The kiln is hot.')]);
    const compressor = new MnemisReranker({ reranker: byWords, topN: 1 });
    for (const retriever of [new MnemisRetriever({ memory }), new FakeRetriever({ output: DOCUMENTS })]) {
      const chain = RunnableLambda.from(async (question: string) =>
        compressor.compressDocuments(await retriever.invoke(question), question),
      ).pipe((documents: Document[]) => documents[0]);
      const best = await chain.invoke('grey cat Miso');
      expect(best?.pageContent).toContain('Miso');
      expect(best?.metadata.relevanceScore).toBe(1);
    }
  });

  it('stops with its signal, or with that of the enclosing runnable, also below a compressing retriever', async () => {
    const reranker = new MnemisReranker({ reranker: byWords });
    const stop = new AbortController();
    const ended: unknown[] = [];
    const reranking = (options?: RerankOptions) =>
      reranker.compressDocuments(DOCUMENTS, 'wait', undefined, options).catch(({ code }) => ended.push(code));
    const step = RunnableLambda.from(() => reranking());
    const compressing = new CompressingRetriever(new FakeRetriever({ output: DOCUMENTS }), (documents) =>
      reranker.compressDocuments(documents, 'wait').catch(({ code }) => {
        ended.push(code);
        return [];
      }),
    );
    const around = RunnableLambda.from((question: string) => compressing.invoke(question));
    const areWaiting = Promise.all([1, 2, 3].map(() => byWords.nextWaiting()));
    const given = reranking({ signal: stop.signal });
    const chains = [step, around].map((chain) =>
      expect(chain.invoke('wait', { signal: stop.signal })).rejects.toThrow(),
    );
    await areWaiting;
    stop.abort();
    await Promise.all([given, ...chains]);
    expect(ended).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });
});
