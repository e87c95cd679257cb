import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConfig } from '../../../main/config.ts';
import { readServeSettings } from '../../../main/http/network/serve-flags.ts';
import { openTokens } from '../../../main/http/network/tokens/open-tokens.ts';
import { TokenTable } from '../../../main/http/network/tokens/token-table.ts';
import { runServe } from '../../../main/processes/run-serve.ts';
import { tokenStoreContract } from '../../contract/token-store.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { bearer } from '../http/network/serve-lab.ts';

describeWithPostgres('a memory on a database server', () => {
  let database: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    database = await startPostgres({ isDurable: false });
    folder = freshFolder();
  });
  afterAll(async () => {
    await database.stop();
  });

  tokenStoreContract('TokenTable', async (clock) => {
    const url = database.url(await database.createDatabase());
    const stores: TokenTable[] = [];
    const open = () => {
      const store = new TokenTable(url, { clock });
      stores.push(store);
      return store;
    };
    return {
      store: open(),
      another: async () => open(),
      atRest: async () => {
        const { rows } = await database.asSuperuser(
          (client) => client.query('SELECT * FROM mnemis.record'),
          new URL(url).pathname.slice(1),
        );
        return JSON.stringify(rows);
      },
      end: async () => {
        for (const store of stores) await store.close();
      },
    };
  });

  it('is served without files beside it, and stays after the server', async () => {
    const environment = { XDG_DATA_HOME: folder, LOCALAPPDATA: folder };
    const { values } = resolveConfig({ flags: {}, environment, folder });
    const config = { ...values, path: database.url(await database.createDatabase()) };
    const tokens = openTokens({ path: config.path, folder, environment });
    const { token } = await tokens.issue({
      ...{ name: 'test', scopes: ['a'], access: 'write', expires: null },
    });
    await tokens.close();
    const warnings: string[] = [];
    const serve = async (
      use: (post: (name: string, input: object) => Promise<Response>) => Promise<void>,
    ) => {
      const stop = new AbortController();
      await runServe(config, {
        settings: readServeSettings({ port: '0', drainSeconds: '0' }, {}),
        ...{ environment, folder, signal: stop.signal },
        output: new Writable({ write: (_chunk, _encoding, done) => done() }),
        logger: { warn: (message) => void warnings.push(message) },
        onListening: ({ port }) => {
          const post = (name: string, input: object) =>
            fetch(`http://127.0.0.1:${port}/v1/${name}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...bearer(token) },
              body: JSON.stringify(input),
            });
          void use(post).finally(() => stop.abort());
        },
      });
    };
    const seen: unknown[] = [];
    await serve(async (post) => {
      const turns = [{ content: 'I adopted a cat called Miso.', speaker: 'Ana', session: 's1', index: 0 }];
      seen.push((await post('add', { scope: 'a', turns })).status);
      for (const name of ['flush', 'portrait', 'review', 'recentChanges'])
        seen.push((await post(name, { scope: 'a' })).status);
      const health = await (await post('health', {})).json();
      seen.push(health.result.path);
    });
    expect(seen).toEqual([200, 200, 200, 200, 200, '']);
    await serve(async (post) => {
      const { result } = await (await post('stats', { scope: 'a' })).json();
      seen.push(result.episode);
    });
    expect(seen.at(-1)).toBe(1);
    expect(warnings).toEqual([]);
  });
});
