import { join } from 'node:path';
import { type Peer, type PlainEmbeddings, plainEmbeddings } from '../peer.ts';

const PACKAGE = 'mem0ai/oss';

/** The used part of the package, whose types are not installed with the project. */
interface Mem0 {
  readonly Memory: new (config: object) => Memory;
}
interface Memory {
  add(messages: readonly object[], options: object): Promise<unknown>;
  search(
    question: string,
    options: object,
  ): Promise<{ readonly results: readonly { readonly metadata?: { readonly turn?: string } }[] }>;
}

/** Extraction (`infer`) needs a language model, so messages are stored as they are. */
export const mem0: Peer = {
  packages: ['mem0ai'],
  settings:
    '`Memory` with the vector store `memory` (a SQLite file), history in a SQLite file, the embedder `langchain`; `add` of one message with `infer: false`, `search` with `topK: 10` and its default threshold of 0.1 (vectors and keywords)',
  durable: 'after each add',
  async open({ folder, embedder }) {
    const { Memory } = (await import(PACKAGE)) as Mem0;
    const embeddings: PlainEmbeddings = plainEmbeddings(embedder);
    const { dimension } = embedder.fingerprint;
    const memory = new Memory({
      embedder: { provider: 'langchain', config: { model: embeddings, embeddingDims: dimension } },
      vectorStore: { provider: 'memory', config: { dimension, dbPath: join(folder, 'vectors.db') } },
      // Created with the memory, called only to extract.
      llm: { provider: 'openai', config: { apiKey: 'none' } },
      historyDbPath: join(folder, 'history.db'),
    });
    return {
      async add(scope, turns) {
        for (const { id, text } of turns)
          await memory.add([{ role: 'user', content: text }], {
            userId: scope,
            infer: false,
            metadata: { turn: id },
          });
      },
      async search(scope, question, k) {
        const { results } = await memory.search(question, { topK: k, filters: { user_id: scope } });
        return results.flatMap(({ metadata }) => metadata?.turn ?? []);
      },
      async close() {},
    };
  },
};
