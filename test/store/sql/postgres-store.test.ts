import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

describeWithPostgres('SqlStore on a Postgres server', () => {
  let server: PostgresServer;
  let asOwner: string;
  let asSuperuser: string;
  let memories = 0;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const owner = await server.createRole('owner');
    const database = await server.createDatabase(undefined, owner);
    asOwner = server.url(database, owner);
    asSuperuser = server.url(database);
  });
  afterAll(() => server.stop());

  /** A new memory in a schema of its own. */
  const open = (url: string, partitions = 0) => {
    memories += 1;
    return openPostgresStore({ url, schema: `memory_${memories}`, partitions, connections: 4 });
  };

  graphStoreContract('for a role that row-level security applies to', () => open(asOwner), {
    idsArePerScope: true,
  });
  graphStoreContract('for a superuser, whom row-level security does not hold', () => open(asSuperuser), {
    idsArePerScope: true,
  });
  graphStoreContract('with partitions by scope', () => open(asOwner, 2), { idsArePerScope: true });
});
