import type { GraphStore } from '../../src/store/graph-store.ts';
import { DATABASE_DEFAULTS } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore, type KuzuStoreOptions } from '../../src/store/kuzu/kuzu-store.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite/sqlite-store.ts';

/** Stores that keep a memory in a file. The suites of kills, faults and damage run on each. */
export const FILE_STORES = [
  { name: 'Kùzu', ending: '.db' },
  { name: 'SQLite', ending: '.sqlite' },
] as const;
/** With both forms of a Kùzu file: all in its log, as a small memory is, and folded into the file. */
export const FILE_FORMS = [
  { name: 'Kùzu, in the log', ending: '.db', leastFileBytes: DATABASE_DEFAULTS.leastFileBytes },
  { name: 'Kùzu, folded', ending: '.db', leastFileBytes: 0 },
  { name: 'SQLite', ending: '.sqlite', leastFileBytes: 0 },
] as const;
export type FileStoreCase = (typeof FILE_STORES)[number];

/** Opens a file by its ending, whatever is in it. */
export function openFileStore(
  path: string,
  kuzuOptions: Omit<KuzuStoreOptions, 'path'> = {},
): Promise<GraphStore> {
  return path.endsWith('.sqlite') ? openSqliteStore(path) : KuzuStore.open({ path, ...kuzuOptions });
}
