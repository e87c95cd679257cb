import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { syntheticTurns } from '../../../bench/synthetic-turns.ts';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { postgres } from '../../../src/store/postgres-options.ts';
import { PgliteServer } from '../../fixtures/pglite-server.ts';

const TURNS = [...syntheticTurns(120)];
/** Recipes whose results depend on words and vectors of turns alone or with facts. */
const RECIPES = ['mnemis', 'system1', 'gam', 'memorai', 'everything'];
const QUESTIONS = [
  'What did Ada paint?',
  'What did Boris sell?',
  `Who ${TURNS[17]!.content.split(' ').slice(1, 9).join(' ')}?`,
  `When did Ada say ${TURNS[88]!.content.split(' ').slice(2, 6).join(' ')}?`,
  'Boris?',
  'What did Boris sell in 2020?',
  'What happened in March 2021?',
  // With typing errors.
  `What of ${misspelt(TURNS[33]!.content)}?`,
];

/** A longer word of a text with a letter too many. */
function misspelt(text: string): string {
  const word = text.match(/[a-z]{6,}/g)!.at(-1)!;
  return `${word.slice(0, 4)}x${word.slice(4)}`;
}

/** Ids and a clock that repeat, so that two memories of the same turns are equal. */
function repeatable(): Pick<OpenOptions, 'newId' | 'clock'> {
  let [id, time] = [0, Date.UTC(2024, 0, 1)];
  return {
    newId: () => `id-${String(++id).padStart(8, '0')}`,
    clock: () => {
      time += 1;
      return time;
    },
  };
}

describe('a scope that is searched in the database', () => {
  let server: PgliteServer;

  beforeAll(async () => {
    server = await PgliteServer.start();
  });
  afterAll(() => server.stop());
  afterEach(() => sql('DROP SCHEMA IF EXISTS mnemis CASCADE'));

  const embedder = new HashingEmbedder({ analyze, dimension: 64 });
  const sql = async (text: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const large = (more: Partial<OpenOptions> = {}, above = 0) => {
    const store = postgres({ url: server.url, connections: 2, searchInDatabaseAbove: above });
    return Mnemis.open({ store, embedder, logger: { warn: () => undefined }, ...more });
  };
  const remember = async (engine: Mnemis) => {
    const memory = engine.scope('main');
    await memory.add(TURNS);
    await memory.flush();
  };
  const tables = () =>
    sql(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'search\\_%' AND relname NOT LIKE '%\\_terms'",
    );

  it('gives the results of an index in memory', async () => {
    await using held = await Mnemis.open({ path: ':memory:', embedder, ...repeatable() });
    await remember(held);
    const options = repeatable();
    const before = await large(options);
    await remember(before);
    await before.close();
    await using engine = await large(options);
    const [one, other] = [held.scope('main'), engine.scope('main')];
    for (const recipe of RECIPES)
      for (const question of QUESTIONS)
        for (const more of recipe === 'system1' ? [{}, { asOf: TURNS[70]!.at }] : [{}]) {
          const expected = await one.search(question, { recipe, ...more });
          const found = await other.search(question, { recipe, ...more });
          const where = `${recipe}: ${question} ${JSON.stringify(more)}`;
          expect(found.ranked, where).toEqual(expected.ranked);
          expect(found.episodes, where).toEqual(expected.episodes);
        }
    expect(await tables()).toHaveLength(1);
  });

  it('finds what is added, and nothing that was forgotten', async () => {
    const first = await large();
    await remember(first);
    await first.close();
    await using engine = await large();
    const memory = engine.scope('main');
    await memory.search('kayak');
    await memory.add({ content: 'My zyzzyva collection is in the garage.', speaker: 'Ada', session: 'new' });
    const found = await memory.search('Where is the zyzzyva collection?');
    expect(found.episodes[0]!.content).toContain('zyzzyva');
    await memory.flush();
    await memory.forget({ episodes: [found.episodes[0]!.id] });
    const after = await memory.search('Where is the zyzzyva collection?');
    expect(JSON.stringify(after.episodes)).not.toContain('zyzzyva');
    const [{ relname }] = (await tables()) as [{ relname: string }];
    for (const table of [relname, `${relname}_terms`])
      expect(JSON.stringify(await sql(`SELECT * FROM mnemis."${table}"`))).not.toContain('zyzzyva');
  });

  it('builds a table of a former version again', async () => {
    const first = await large();
    await remember(first);
    await first.close();
    const second = await large();
    await second.scope('main').search('kayak');
    await second.close();
    const built = await tables();
    const [{ relname }] = built as [{ relname: string }];
    for (const ending of ['', '_terms'])
      await sql(`ALTER TABLE mnemis."${relname}${ending}" RENAME TO search_former${ending}`);
    await sql("UPDATE mnemis.large_scope SET name = 'search_former'");
    await sql('ALTER TABLE mnemis.search_former DROP COLUMN times');
    await using engine = await large();
    const { episodes } = await engine.scope('main').search(QUESTIONS[0]!);
    expect(episodes.length).toBeGreaterThan(0);
    expect(await tables()).toEqual(built);
  });

  it('moves to the vectors of another embedder', async () => {
    const first = await large();
    await remember(first);
    await first.close();
    const next = new HashingEmbedder({ analyze, dimension: 96 });
    await using engine = await large();
    const memory = engine.scope('main');
    const question = QUESTIONS[2]!;
    const before = await memory.search(question, { recipe: 'system1' });
    for await (const _ of engine.reembed({ embedder: next })) await memory.search(question);
    const after = await memory.search(question, { recipe: 'system1' });
    expect(after.episodes[0]!.content).toBe(before.episodes[0]!.content);
    expect(JSON.stringify(after.episodes[0])).toContain('"list":"lexical+vector"');
    const [{ type }] = (await sql(
      "SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid WHERE relname LIKE 'search\\_%' AND attname = 'embedding' AND relkind = 'r'",
    )) as [{ type: string }];
    expect(type).toBe('halfvec(96)');
  });
});
