import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';
import { FakeTracer, FakeVectorStore } from '@langchain/core/utils/testing';
import { afterAll, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { MnemisEmbeddings, MnemisRetriever } from '../../src/langchain/index.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { retrieverContract } from '../contract/retriever.ts';
import { turn } from '../engine/memory-fixture.ts';
import { WaitingEmbedder } from './waiting-embedder.ts';

const engines: Mnemis[] = [];
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

async function memoryOf(texts: readonly string[], embedder = new WaitingEmbedder()) {
  const engine = await Mnemis.open({ path: ':memory:', embedder, automatic: false });
  engines.push(engine);
  const memory = engine.scope('ana');
  await memory.add(texts.map((text) => turn(text)));
  return memory;
}

retrieverContract('MnemisRetriever', {
  over: async (texts) => new MnemisRetriever({ memory: await memoryOf(texts), k: 2 }),
  waiting: async () => {
    const embedder = new WaitingEmbedder();
    const memory = await memoryOf(['A grey cat.'], embedder);
    const retriever = new MnemisRetriever({ memory, k: 2 });
    return {
      retriever,
      untilWaiting: (count) => embedder.untilWaiting(count),
      letGo: () => embedder.letGo(),
    };
  },
  refused: '',
  skips: { refusal: 'no question is refused: a long one is shortened' },
});

it('tells of what went wrong where the memory is closed', async () => {
  const engine = await Mnemis.open({ path: ':memory:', embedder: new HashingEmbedder({ analyze }) });
  const retriever = new MnemisRetriever({ memory: engine.scope('a'), k: 2 });
  await engine.close();
  const tracer = new FakeTracer();
  await expect(retriever.invoke('grey cat', { callbacks: [tracer] })).rejects.toThrow();
  await awaitAllCallbacks();
  expect(tracer.runs).toMatchObject([{ run_type: 'retriever', error: expect.any(String) }]);
});

const embeddings = new MnemisEmbeddings({ embedder: new HashingEmbedder({ analyze }) });
retrieverContract('LangChain’s retriever over vectors in memory', {
  over: async (texts) => {
    const store = await FakeVectorStore.fromTexts([...texts], {}, embeddings);
    return store.asRetriever(2);
  },
  waiting: () => Promise.reject(new Error('nothing to wait for')),
  refused: '',
  skips: {
    ids: 'a vector store gives no ids back',
    'own documents': 'it hands out the metadata that it keeps',
    signal: 'BaseRetriever hands its search no signal, so that nothing is ever cancelled',
    refusal: 'it answers anything',
  },
});
