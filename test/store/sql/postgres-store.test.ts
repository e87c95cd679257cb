import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type Login, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

describeWithPostgres('SqlStore on a Postgres server', () => {
  let server: PostgresServer;
  let owner: Login;
  let database: string;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    owner = await server.createRole('owner');
    database = await server.createDatabase(undefined, owner);
  });
  afterAll(() => server.stop());

  // A schema each: to remove two hundred databases takes longer than a hook may.
  let schemas = 0;
  const open = async (login: Login) => {
    schemas += 1;
    return openPostgresStore({ url: server.url(database, login), schema: `memory_${schemas}` });
  };

  graphStoreContract('for a role that row-level security applies to', () => open(owner), {
    idsArePerScope: true,
  });
  graphStoreContract('for a superuser, whom row-level security does not hold', () => open(server.superuser), {
    idsArePerScope: true,
  });
});
