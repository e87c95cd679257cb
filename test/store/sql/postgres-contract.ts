import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { graphStoreContract } from '../../contract/graph-store.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

interface Setup {
  readonly role: 'owner' | 'superuser';
  readonly partitions?: number;
}

/** The contract of a store on a Postgres server, each memory in a schema of its own: databases take long to remove. */
export function postgresContract(name: string, { role, partitions = 0 }: Setup): void {
  describeWithPostgres('SqlStore on a Postgres server', () => {
    let server: PostgresServer;
    let url: string;
    let memories = 0;

    beforeAll(async () => {
      server = await startPostgres({ isDurable: false });
      const owner = await server.createRole('owner');
      const database = await server.createDatabase(undefined, owner);
      url = server.url(database, role === 'owner' ? owner : server.superuser);
    });
    afterAll(() => server.stop());

    const open = () => {
      memories += 1;
      return openPostgresStore({ url, schema: `memory_${memories}`, partitions, connections: 4 });
    };
    graphStoreContract(name, open, { idsArePerScope: true });
  });
}
