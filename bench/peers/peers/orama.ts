import { join } from 'node:path';
import { ByScope, type Peer, plainEmbeddings } from '../peer.ts';

const [PACKAGE, PERSISTENCE] = ['@orama/orama', '@orama/plugin-data-persistence/server'];

/** The used part of the packages. */
interface Orama {
  create(options: object): object;
  insertMultiple(database: object, documents: readonly object[]): Promise<unknown>;
  search(
    database: object,
    options: object,
  ): Promise<{ readonly hits: readonly { readonly document: { readonly turn: string } }[] }>;
}
interface Persistence {
  persistToFile(database: object, format: 'binary', path: string): Promise<unknown>;
}

export const orama: Peer = {
  packages: [PACKAGE!, '@orama/plugin-data-persistence'],
  settings:
    'one database for each scope; `insertMultiple`, `search` with `mode: "hybrid"`, `similarity: 0` and `limit: 10`; saved once, by `@orama/plugin-data-persistence`',
  durable: 'when closed',
  async open({ folder, embedder }) {
    const { create, insertMultiple, search } = (await import(PACKAGE!)) as Orama;
    const { persistToFile } = (await import(PERSISTENCE!)) as Persistence;
    const embeddings = plainEmbeddings(embedder);
    const schema = { text: 'string', vector: `vector[${embedder.fingerprint.dimension}]` };
    const databases = new ByScope(() => create({ schema }));
    return {
      async add(scope, turns) {
        const vectors = await embeddings.embedDocuments(turns.map(({ text }) => text));
        await insertMultiple(
          databases.of(scope),
          turns.map(({ id, text }, at) => ({ turn: id, text, vector: vectors[at]! })),
        );
      },
      async search(scope, question, k) {
        const { hits } = await search(databases.of(scope), {
          mode: 'hybrid',
          term: question,
          similarity: 0,
          limit: k,
          vector: { value: await embeddings.embedQuery(question), property: 'vector' },
        });
        return hits.map(({ document }) => document.turn);
      },
      async close() {
        let next = 0;
        for (const [, database] of databases.entries())
          await persistToFile(database, 'binary', join(folder, `${next++}.msp`));
      },
    };
  },
};
