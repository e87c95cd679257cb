import { ByScope, type Peer, plainEmbeddings } from '../peer.ts';

const PACKAGE = '@lancedb/lancedb';

/** The used part of the package. */
interface LanceDB {
  connect(folder: string): Promise<Database>;
  readonly Index: { fts(): object };
  readonly rerankers: { readonly RRFReranker: { create(): Promise<object> } };
}
interface Database {
  createTable(name: string, rows: readonly object[]): Promise<Table>;
  close(): void;
}
interface Table {
  add(rows: readonly object[]): Promise<unknown>;
  createIndex(column: string, options: object): Promise<unknown>;
  query(): Query;
}
interface Query {
  fullTextSearch(question: string, options: object): Query;
  nearestTo(vector: readonly number[]): Query;
  rerank(reranker: object): Query;
  select(columns: readonly string[]): Query;
  limit(count: number): Query;
  toArray(): Promise<readonly { readonly turn: string }[]>;
}

export const lancedb: Peer = {
  packages: [PACKAGE],
  settings:
    'one table for each scope; `add`, hybrid search (`fullTextSearch` and an exact `nearestTo`, reciprocal rank fusion) with `limit(10)`',
  prepares: '`createIndex` of the texts for the full-text search',
  durable: 'after each add',
  async open({ folder, embedder }) {
    const { connect, Index, rerankers } = (await import(PACKAGE)) as LanceDB;
    const database = await connect(folder);
    const reranker = await rerankers.RRFReranker.create();
    const embeddings = plainEmbeddings(embedder);
    const tables = new ByScope<{ table?: Table }>(() => ({}));
    return {
      async add(scope, turns) {
        const vectors = await embeddings.embedDocuments(turns.map(({ text }) => text));
        const rows = turns.map(({ id, text }, at) => ({ turn: id, text, vector: vectors[at]! }));
        const place = tables.of(scope);
        if (place.table === undefined) place.table = await database.createTable(scope, rows);
        else await place.table.add(rows);
      },
      async prepare() {
        for (const [, { table }] of tables.entries())
          await table!.createIndex('text', { config: Index.fts() });
      },
      async search(scope, question, k) {
        const rows = await tables
          .of(scope)
          .table!.query()
          .fullTextSearch(question, { columns: 'text' })
          .nearestTo(await embeddings.embedQuery(question))
          .rerank(reranker)
          .select(['turn'])
          .limit(k)
          .toArray();
        return rows.map(({ turn }) => turn);
      },
      async close() {
        database.close();
      },
    };
  },
};
