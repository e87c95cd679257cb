import { type Peer, plainEmbeddings } from '../peer.ts';

const PACKAGE = '@langchain/langgraph';

/** The used part of the package, apart from the project's own version of it. */
interface LangGraph {
  readonly InMemoryStore: new (options: object) => Store;
}
interface Store {
  batch(puts: readonly object[]): Promise<unknown>;
  search(
    namespace: readonly string[],
    options: object,
  ): Promise<readonly { readonly key: string; readonly score?: number }[]>;
}

export const langgraph: Peer = {
  packages: [PACKAGE, '@langchain/core'],
  settings:
    '`InMemoryStore` with `index: { dims, embeddings, fields: ["text"] }`, a namespace for each scope; `batch` of puts, `search` with `limit: 10`',
  durable: 'never',
  async open({ embedder }) {
    const { InMemoryStore } = (await import(PACKAGE)) as LangGraph;
    const index = {
      dims: embedder.fingerprint.dimension,
      embeddings: plainEmbeddings(embedder),
      fields: ['text'],
    };
    const store = new InMemoryStore({ index });
    return {
      async add(scope, turns) {
        await store.batch(
          turns.map(({ id, text }) => ({ namespace: [scope, 'turns'], key: id, value: { text } })),
        );
      },
      async search(scope, question, k) {
        const items = await store.search([scope, 'turns'], { query: question, limit: k });
        return items.map(({ key }) => key);
      },
      async close() {},
    };
  },
};
