import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { syntheticTurns } from '../../../bench/synthetic-turns.ts';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { postgres } from '../../../src/store/postgres-options.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type Login, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

const TURNS = [...syntheticTurns(40)];

describeWithPostgres('a large scope on a server that may lack the extension', () => {
  let server: PostgresServer;
  let owner: Login;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    owner = await server.createRole('owner');
  });
  afterAll(() => server.stop());

  it('is held in memory, with a warning that says what is missing', async () => {
    const url = server.url(await server.createDatabase(undefined, owner), owner);
    const warnings: string[] = [];
    const open = () =>
      Mnemis.open({
        store: postgres({ url, searchInDatabaseAbove: 10 }),
        embedder: new HashingEmbedder({ analyze, dimension: 64 }),
        logger: { warn: (message) => warnings.push(message) },
      });
    const first = await open();
    await first.scope('main').add(TURNS);
    await first.close();
    const engine = await open();
    const { episodes } = await engine.scope('main').search(TURNS[20]!.content);
    expect(episodes[0]!.content).toBe(TURNS[20]!.content);
    await engine.close();
    const missing = warnings.filter((message) => message.includes('lacks the extension vector'));
    expect(missing).toHaveLength((await hasExtension(url)) ? 0 : 1);
  });
});

async function hasExtension(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  await client.end();
  return rows.length > 0;
}
