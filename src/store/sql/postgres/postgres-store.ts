import { SqlMeta } from '../sql-meta.ts';
import { SqlStore } from '../sql-store.ts';
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts';

/**
 * Opens or creates a memory on a Postgres server (12 or newer), which one process at a time can have open.
 *
 * @throws PackageMissingError, DatabaseLockedError, SchemaTooNewError; StoreReadError where the server cannot be reached
 *   or refuses.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<SqlStore> {
  const database = await PostgresDatabase.open(options);
  try {
    const meta = new SqlMeta(database);
    await meta.load();
    return new SqlStore(database, { backend: 'postgres', meta, files: null });
  } catch (error) {
    await database.close();
    throw error;
  }
}
