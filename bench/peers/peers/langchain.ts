import { ByScope, type Peer, plainEmbeddings } from '../peer.ts';

const PACKAGE = '@langchain/classic/vectorstores/memory';

/** The used part of the package. */
interface Vectorstores {
  readonly MemoryVectorStore: new (embeddings: object) => Store;
}
interface Store {
  addDocuments(documents: readonly object[]): Promise<unknown>;
  similaritySearch(question: string, k: number): Promise<readonly { readonly metadata: { turn: string } }[]>;
}

export const langchain: Peer = {
  packages: ['@langchain/classic', '@langchain/core'],
  settings: '`MemoryVectorStore`, one for each scope; `addDocuments`, `similaritySearch`',
  durable: 'never',
  async open({ embedder }) {
    const { MemoryVectorStore } = (await import(PACKAGE)) as Vectorstores;
    const stores = new ByScope(() => new MemoryVectorStore(plainEmbeddings(embedder)));
    return {
      async add(scope, turns) {
        await stores
          .of(scope)
          .addDocuments(turns.map(({ id, text }) => ({ pageContent: text, metadata: { turn: id } })));
      },
      async search(scope, question, k) {
        const documents = await stores.of(scope).similaritySearch(question, k);
        return documents.map(({ metadata }) => metadata.turn);
      },
      async close() {},
    };
  },
};
