import type pg from 'pg';
import { loadOptional } from '../../../errors/load-optional.ts';

/** Loads the optional package `pg`. @throws PackageMissingError */
export async function loadPg(): Promise<typeof pg> {
  const loaded = await loadOptional('A memory on a Postgres server', 'pg', () => import('pg'));
  return loaded.default;
}
