import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type Login, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

describeWithPostgres('SqlStore on a Postgres server', () => {
  let server: PostgresServer;
  let owner: Login;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    owner = await server.createRole('owner');
  });
  afterAll(() => server.stop());

  const open = async (login?: Login) =>
    openPostgresStore({ url: server.url(await server.createDatabase(undefined, login), login) });

  graphStoreContract('for a role that row-level security applies to', () => open(owner), {
    idsArePerScope: true,
  });
  graphStoreContract('for a superuser, whom row-level security does not hold', () => open(), {
    idsArePerScope: true,
  });
});
