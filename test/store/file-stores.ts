import type { GraphStore } from '../../src/store/graph-store.ts';
import { KuzuStore, type KuzuStoreOptions } from '../../src/store/kuzu/kuzu-store.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite/sqlite-store.ts';

/** Stores that keep a memory in a file. The suites of kills, faults and damage run on each. */
export const FILE_STORES = [
  { name: 'Kùzu', ending: '.db' },
  { name: 'SQLite', ending: '.sqlite' },
] as const;
export type FileStoreCase = (typeof FILE_STORES)[number];

/** Opens a file by its ending, whatever is in it. */
export function openFileStore(
  path: string,
  kuzuOptions: Omit<KuzuStoreOptions, 'path'> = {},
): Promise<GraphStore> {
  return path.endsWith('.sqlite') ? openSqliteStore(path) : KuzuStore.open({ path, ...kuzuOptions });
}
