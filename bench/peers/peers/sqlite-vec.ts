import { join } from 'node:path';
import type { Peer } from '../peer.ts';

const [DRIVER, PACKAGE] = ['better-sqlite3', 'sqlite-vec'];

/** The used part of the packages. */
interface Driver {
  readonly default: new (path: string) => Database;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  transaction<Input>(work: (input: Input) => void): (input: Input) => void;
  close(): void;
}
interface Statement {
  run(...values: unknown[]): { readonly lastInsertRowid: number | bigint };
  all(...values: unknown[]): readonly { readonly turn: string }[];
}
interface Extension {
  load(database: Database): void;
}

/** Reciprocal rank fusion, as in the package's example of hybrid search. */
const HYBRID = `
  WITH near AS (
    SELECT rowid AS id, row_number() OVER (ORDER BY distance) AS place
    FROM vectors WHERE embedding MATCH @vector AND k = @k AND scope = @scope
  ), words AS (
    SELECT texts.rowid AS id, row_number() OVER (ORDER BY texts.rank) AS place
    FROM texts JOIN turns ON turns.id = texts.rowid
    WHERE texts MATCH @words AND turns.scope = @scope ORDER BY texts.rank LIMIT @k
  )
  SELECT turns.turn FROM near FULL OUTER JOIN words ON near.id = words.id
  JOIN turns ON turns.id = coalesce(near.id, words.id)
  ORDER BY coalesce(1.0 / (60 + near.place), 0) + coalesce(1.0 / (60 + words.place), 0) DESC LIMIT @k`;

export const sqliteVec: Peer = {
  packages: [PACKAGE!, DRIVER!],
  settings:
    'a `vec0` table with the scope as partition key and an FTS5 table (`porter`) in one SQLite file, written log ahead; hybrid search by reciprocal rank fusion of 10 and 10, a word of the question suffices',
  durable: 'after each add',
  async open({ folder, embedder }) {
    const { default: Database } = (await import(DRIVER!)) as Driver;
    const extension = (await import(PACKAGE!)) as Extension;
    const database = new Database(join(folder, 'memory.db'));
    extension.load(database);
    database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE turns (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, turn TEXT NOT NULL, text TEXT NOT NULL);
      CREATE VIRTUAL TABLE texts USING fts5 (text, content='turns', content_rowid='id', tokenize='porter');
      CREATE VIRTUAL TABLE vectors USING vec0 (scope TEXT PARTITION KEY, embedding FLOAT[${embedder.fingerprint.dimension}] distance_metric=cosine);`);
    const addTurn = database.prepare('INSERT INTO turns (scope, turn, text) VALUES (?, ?, ?)');
    const addText = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
    const addVector = database.prepare('INSERT INTO vectors (rowid, scope, embedding) VALUES (?, ?, ?)');
    const addAll = database.transaction<readonly (readonly [string, string, string, Float32Array])[]>(
      (rows) => {
        for (const [scope, turn, text, vector] of rows) {
          const id = BigInt(addTurn.run(scope, turn, text).lastInsertRowid);
          addText.run(id, text);
          addVector.run(id, scope, vector);
        }
      },
    );
    const find = database.prepare(HYBRID);
    return {
      async add(scope, turns) {
        const vectors = await embedder.embed(
          turns.map(({ text }) => text),
          { as: 'passage' },
        );
        addAll(turns.map(({ id, text }, at) => [scope, id, text, vectors[at]!] as const));
      },
      async search(scope, question, k) {
        const [vector] = await embedder.embed([question], { as: 'query' });
        const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
        const match = words.map((word) => `"${word}"`).join(' OR ');
        return find.all({ vector, scope, k, words: match }).map(({ turn }) => turn);
      },
      async close() {
        database.close();
      },
    };
  },
};
