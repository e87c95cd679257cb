import type { Records } from '../store/sql/postgres/postgres-records.ts';

export type { Records };

/**
 * What a program keeps beside a memory on a database server, by kind.
 *
 * @throws PackageMissingError; StoreReadError where the server cannot be reached or refuses.
 */
export async function openRecordsAt(url: string, kind: string): Promise<Records> {
  const { openPostgresRecords } = await import('../store/sql/postgres/postgres-records.ts');
  return openPostgresRecords({ url, connections: 2 }, kind);
}
