import { Embeddings } from '@langchain/core/embeddings';
import { AsyncBatchedStore, InMemoryStore } from '@langchain/langgraph-checkpoint';
import { afterAll } from 'vitest';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { MnemisStore } from '../../../src/langgraph/store/mnemis-store.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { langgraphStoreContract } from '../../contract/langgraph-store.ts';
import { freshPath, open } from '../../engine/memory-fixture.ts';

const embedder = new HashingEmbedder({ analyze });

async function opened() {
  const mnemis = await open(':memory:', { embedder });
  return { store: new MnemisStore({ memory: mnemis.scope('one') }), close: () => mnemis.close() };
}

langgraphStoreContract('MnemisStore', opened);

/** One file for all cases, a scope for each. */
const file = open(freshPath(), { embedder });
afterAll(async () => (await file).close());
let scopes = 0;
langgraphStoreContract('MnemisStore in a file', async () => ({
  store: new MnemisStore({ memory: (await file).scope(`scope ${++scopes}`) }),
  close: async () => undefined,
}));

const NO_INDEX = 'the wrapper drops `index`';
const NO_LIST = 'the wrapper’s listNamespaces throws';
const NO_BATCH = 'the wrapper has no batch';
langgraphStoreContract(
  'MnemisStore through the batching wrapper',
  async () => {
    const { store, close } = await opened();
    const batched = new AsyncBatchedStore(store);
    batched.start();
    return { store: batched, close: () => batched.stop().then(close) };
  },
  {
    'answers a batch in its order, as things were before it': NO_BATCH,
    'takes the last of several writes to a key in one batch': NO_BATCH,
    'lists namespaces for an operation without conditions': NO_BATCH,
    'refuses them in a batch too, and then does nothing of it': NO_BATCH,
    'keeps labels apart, whatever stands in them': NO_LIST,
    'does not list a namespace that was emptied': NO_LIST,
    'leaves out of the ranking what is not to be searched': NO_INDEX,
    'ranks by the fields that an item names': NO_INDEX,
  },
);

class HashedEmbeddings extends Embeddings {
  constructor() {
    super({});
  }

  async embedDocuments(texts: string[]): Promise<number[][]> {
    return (await embedder.embed(texts, { as: 'passage' })).map((vector) => [...vector]);
  }

  async embedQuery(text: string): Promise<number[]> {
    return (await this.embedDocuments([text]))[0]!;
  }
}

langgraphStoreContract(
  'The in-memory store of LangGraph',
  async () => ({
    store: new InMemoryStore({ index: { dims: 256, embeddings: new HashedEmbeddings() } }),
    close: async () => undefined,
  }),
  {
    'answers a batch in its order, as things were before it':
      'its get gives the object that a write of the same batch then changes',
    'compares labels whole': 'it compares the joined text: users/1 also finds users/10',
    'keeps labels apart, whatever stands in them': 'it joins labels with ":", so that two addresses are one',
    'refuses them in a batch too, and then does nothing of it': 'it checks namespaces in put alone',
    'does not list a namespace that was emptied': 'it lists what it once held',
    'lists namespaces for an operation without conditions': 'it leaves the operation out of the results',
    'takes no property that every object has for a field': 'it looks them up on the prototype too',
    'takes nothing for a number that is none': 'it compares null and [] as 0',
    'compares lists and objects by what is in them': 'it compares them by identity, so never',
    'compares times that are written as ISO texts': 'it compares numbers alone, and finds nothing',
    'refuses an operator that is none': 'it finds nothing, without a word',
    'refuses keys and values that it could not give back': 'it takes anything',
    'gives copies, and keeps none of the caller’s objects': 'it gives out the objects that it holds',
  },
);
