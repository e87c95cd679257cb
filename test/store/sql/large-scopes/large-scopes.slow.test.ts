import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EpisodeId } from '../../../../src/model/ids.ts';
import { readWordsOf } from '../../../../src/search/turn-text.ts';
import type { GraphStore } from '../../../../src/store/graph-store.ts';
import { embeddingModel } from '../../../../src/store/graph-store.ts';
import type { ScopeSearch } from '../../../../src/store/scope-search.ts';
import { openPostgresStore } from '../../../../src/store/sql/postgres/postgres-store.ts';
import { embedding, episode, fact, scopeOf } from '../../../contract/graph-rows.ts';
import { PgliteServer } from '../../../fixtures/pglite-server.ts';

const A = scopeOf('Is “A” a scope? It’s \\ one\u0000');
const B = scopeOf('b');
const FINGERPRINT = { model: 'test', dimension: 4 };
const MODEL = embeddingModel(FINGERPRINT);

const vectorOf = (
  id: string,
  owner: string,
  vector: readonly number[],
  field: 'content' | 'statement' = 'content',
) => embedding(id, { owner: owner as EpisodeId, field, model: MODEL, vector: Float32Array.from(vector) });

/** A turn with its vector. */
const turn = (id: string, content: string, vector: readonly number[]) => ({
  episode: [episode(id, { content })],
  embedding: [vectorOf(`vector of ${id}`, id, vector)],
});

describe('scopes that are searched in the database', () => {
  let server: PgliteServer;
  let store: GraphStore;

  beforeAll(async () => {
    server = await PgliteServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    store = await openPostgresStore(
      { url: server.url, connections: 1, searchInDatabaseAbove: 1 },
      { readWords: readWordsOf },
    );
    await store.setFingerprint(FINGERPRINT);
  });
  afterEach(async () => {
    await store.close();
    await sql('DROP SCHEMA mnemis CASCADE');
  });

  const sql = async (text: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      return (await client.query(text)) as unknown as pg.QueryResult;
    } finally {
      await client.end();
    }
  };
  const open = async (scope = A, fingerprint = FINGERPRINT): Promise<ScopeSearch> => {
    const { search } = await store.openSearch(scope, fingerprint);
    return search!;
  };
  const near = async (search: ScopeSearch, vector: readonly number[], among: string[] | null = null) =>
    (await search.nearest('episode', Float32Array.from(vector), { most: 10, exact: 10, among })).map(
      ({ id }) => id,
    );
  const nearest = async (search: ScopeSearch, vector: readonly number[]) =>
    (await search.nearest('episode', Float32Array.from(vector), { most: 1, exact: 1, among: null }))[0]!.id;
  const withWords = async (search: ScopeSearch, terms: string[], most = 100) =>
    (await search.words(terms, { most, among: null })).turns.map(({ id }) => id).sort();
  const fill = async (scope = A) => {
    await store.commit(scope, { nodes: turn('e1', 'A yellow kayak. Is the kayak yours?', [1, 0, 0, 0]) });
    await store.commit(scope, { nodes: turn('e2', 'A green kayak', [0, 1, 0, 0]) });
  };
  const tables = async () =>
    (
      await sql(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'search\\_%' AND relname NOT LIKE '%\\_terms'",
      )
    ).rows.map(({ relname }) => String(relname));

  it('holds a small scope, and makes no table for it', async () => {
    await store.commit(A, { nodes: turn('e1', 'A kayak', [1, 0, 0, 0]) });
    expect(await store.openSearch(A, FINGERPRINT)).toEqual({ search: null, missing: null });
    expect(await tables()).toEqual([]);
  });

  it('finds rows that were there before the scope became large', async () => {
    await fill();
    const search = await open();
    expect((await near(search, [1, 0.1, 0, 0])).sort()).toEqual(['e1', 'e2']);
    expect(await search.words(['kayak', 'yellow', 'tent'], { most: 10, among: null })).toEqual({
      frequencies: new Map([
        ['kayak', 2],
        ['yellow', 1],
      ]),
      turns: expect.arrayContaining([
        {
          id: 'e1',
          words: expect.arrayContaining([
            { term: 'kayak', statements: 1, questions: 1 },
            { term: 'yellow', statements: 1, questions: 0 },
          ]),
        },
        { id: 'e2', words: [{ term: 'kayak', statements: 1, questions: 0 }] },
      ]),
    });
    expect(await search.frequencies(['green', 'tent', 'kayak'])).toEqual(
      new Map([
        ['green', 1],
        ['kayak', 2],
      ]),
    );
    expect(await search.turnsWithAll(['green', 'kayak'])).toBe(1);
    expect(await search.turnsWithAll(['green', 'yellow'])).toBe(0);
    expect(await search.similar(['kajak', 'rgeen'])).toEqual(
      new Map([
        ['green', 1],
        ['kayak', 2],
      ]),
    );
  });

  it('gives the vectors as they are stored', async () => {
    const exact = Float32Array.from([0.1234567, -0.7654321, 1e-7, 0.5]);
    await fill();
    await store.commit(A, { nodes: turn('e3', 'x', [...exact]) });
    const found = await (await open()).nearest('episode', exact, { most: 1, exact: 1, among: null });
    expect(found).toEqual([{ id: 'e3', vector: exact, score: expect.closeTo(0.85, 1) }]);
  });

  it('follows commits: new rows, later vectors, ends and removals', async () => {
    await fill();
    const search = await open();
    await store.commit(A, { nodes: turn('e3', 'A tent', [0, 0, 1, 0]) });
    await store.commit(A, { nodes: { episode: [episode('e4', { content: 'A tent and a stove' })] } });
    expect(await withWords(search, ['tent'])).toEqual(['e3', 'e4']);
    expect(await near(search, [0, 0, 1, 0], ['e3', 'e4'])).toEqual(['e3']);
    await store.commit(A, { nodes: { embedding: [vectorOf('later', 'e4', [0, 0, 2, 0])] } });
    expect((await near(search, [0, 0, 1, 0], ['e3', 'e4'])).sort()).toEqual(['e3', 'e4']);
    await store.commit(A, { updates: [{ kind: 'episode', id: 'e3', set: { expiredAt: 5 } }] });
    await store.commit(A, { removals: [{ kind: 'embedding', id: 'later' }] });
    expect(await withWords(search, ['tent'])).toEqual(['e4']);
    expect(await near(search, [0, 0, 1, 0], ['e3', 'e4'])).toEqual([]);
  });

  it('compares the statements of facts', async () => {
    await fill();
    const search = await open();
    await store.commit(A, {
      nodes: { fact: [fact('f1')], embedding: [vectorOf('v1', 'f1', [0, 0, 0, 1], 'statement')] },
    });
    const found = await search.nearest('fact', Float32Array.from([0, 0, 0, 1]), {
      most: 5,
      exact: 5,
      among: null,
    });
    expect(found.map(({ id }) => id)).toEqual(['f1']);
    expect(await near(search, [0, 0, 0, 1], ['f1'])).toEqual([]);
  });

  it('keeps nothing of a removed turn, also in a dump', async () => {
    await fill();
    const search = await open();
    const [table] = await tables();
    const dump = async () =>
      JSON.stringify([
        (await sql(`SELECT id, words::text, embedding_id FROM mnemis."${table}"`)).rows,
        (await sql(`SELECT * FROM mnemis."${table}_terms"`)).rows,
      ]);
    expect(await dump()).toContain('yellow');
    await store.commit(A, {
      removals: [
        { kind: 'episode', id: 'e1' },
        { kind: 'embedding', id: 'vector of e1' },
      ],
    });
    expect(await dump()).not.toMatch(/yellow|e1/);
    expect(await withWords(search, ['yellow', 'kayak'])).toEqual(['e2']);
  });

  it('does not keep what a failed commit wrote', async () => {
    await fill();
    const search = await open();
    const twice = { episode: [episode('e1', { content: 'A tent' })] };
    await expect(store.commit(A, { nodes: twice })).rejects.toThrow();
    expect(await withWords(search, ['tent'])).toEqual([]);
  });

  it('keeps scopes apart', async () => {
    await fill(A);
    await fill(B);
    const [a, b] = [await open(A), await open(B)];
    await store.commit(A, { nodes: turn('e3', 'A secret', [0, 0, 1, 0]) });
    expect(await withWords(a, ['secret'])).toEqual(['e3']);
    expect(await withWords(b, ['secret'])).toEqual([]);
    expect(await near(b, [0, 0, 1, 0], ['e3'])).toEqual([]);
    const [one, other] = await tables();
    expect(one).not.toBe(other);
    // A table takes rows of its own scope alone, and shows a role that is not its owner those of the named scope alone.
    await expect(sql(`INSERT INTO mnemis."${one}" SELECT * FROM mnemis."${other}"`)).rejects.toThrow(
      /check constraint/,
    );
    await sql(
      'CREATE ROLE reader; GRANT USAGE ON SCHEMA mnemis TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA mnemis TO reader',
    );
    const seen = `BEGIN; SET LOCAL ROLE reader; SET LOCAL mnemis.scope = 'c'; SELECT COUNT(*)::int AS number FROM mnemis."${one}"; COMMIT`;
    const answers = (await sql(seen)) as unknown as pg.QueryResult[];
    expect(answers[3]!.rows).toEqual([{ number: 0 }]);
    await sql('DROP OWNED BY reader; DROP ROLE reader');
  });

  it('leaves out turns with common words where too many match', async () => {
    const nodes = Array.from({ length: 40 }, (_, at) =>
      turn(`t${String(at).padStart(2, '0')}`, at === 7 ? 'common rare' : 'common word', [1, 0, 0, at]),
    );
    for (const each of nodes) await store.commit(A, { nodes: each });
    const search = await open();
    const found = await search.words(['common', 'rare'], { most: 5, among: null });
    expect(found.frequencies.get('common')).toBe(40);
    expect(found.turns).toHaveLength(5);
    expect(found.turns.map(({ id }) => id)).toContain('t07');
  });

  it('takes long terms, quotes and turns with a great many terms', async () => {
    const long = 'ж'.repeat(250);
    const many = Array.from({ length: 60_000 }, (_, at) => `word${at}`).join(' ');
    await fill();
    await store.commit(A, { nodes: turn('e3', `${long} it's a\\b`, [0, 0, 1, 0]) });
    const search = await open();
    await store.commit(A, { nodes: turn('e4', `${many} ${long}s`, [0, 0, 0, 1]) });
    expect(await withWords(search, [long])).toEqual(['e3']);
    expect(await withWords(search, ['word17'])).toEqual(['e4']);
  });

  it('keeps the former table until the vectors of its embedder are removed', async () => {
    await fill();
    const before = await open();
    const next = { model: 'next', dimension: 2 };
    await store.setNextFingerprint(next);
    const moved = ['e1', 'e2'].map((owner, at) =>
      embedding(`moved ${owner}`, {
        owner: owner as EpisodeId,
        field: 'content',
        model: embeddingModel(next),
        vector: Float32Array.from(at === 0 ? [1, 0] : [0, 1]),
      }),
    );
    await store.commit(A, { nodes: { embedding: moved } });
    const after = await open(A, next);
    expect(await nearest(before, [1, 0, 0, 0])).toBe('e1');
    expect(await nearest(after, [0, 1])).toBe('e2');
    await store.adoptNextFingerprint();
    await store.removeEmbeddings(A, MODEL, 100);
    expect(await tables()).toHaveLength(1);
    expect(await nearest(after, [0, 1])).toBe('e2');
    expect(await withWords(after, ['green'])).toEqual(['e2']);
  });

  it('is kept by a process that searches in memory', async () => {
    await fill();
    const search = await open();
    const other = await openPostgresStore({ url: server.url, connections: 1 }, { readWords: readWordsOf });
    expect(await other.openSearch(A, FINGERPRINT)).toEqual({ search: null, missing: null });
    await other.commit(A, { nodes: turn('e3', 'A tent', [0, 0, 1, 0]) });
    await other.close();
    expect(await withWords(search, ['tent'])).toEqual(['e3']);
  });

  it('says why the tables of a scope cannot be built', async () => {
    await fill();
    await open();
    const [table] = await tables();
    await sql(
      `DELETE FROM mnemis.large_scope; DROP TABLE mnemis."${table}"; CREATE VIEW mnemis."${table}" AS SELECT 1 AS x`,
    );
    const { search, missing } = await store.openSearch(A, FINGERPRINT);
    expect(search).toBeNull();
    expect(missing).toContain('could not be built');
  });

  it('says what is missing', async () => {
    await fill();
    const { search, missing } = await store.openSearch(A, { model: 'long', dimension: 5_000 });
    expect(search).toBeNull();
    expect(missing).toContain('5000 numbers');
  });
});
