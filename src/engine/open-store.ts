import { InvalidInputError } from '../errors/index.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { kindOfFile, realPath } from '../store/memory-file.ts';
import { isDatabaseUrl, withoutPassword } from '../util/database-url.ts';

export interface OpenStoreOptions {
  /** Page cache of a Kùzu file in bytes. */
  readonly bufferPoolBytes?: number;
}

/**
 * Opens the graph store at a path, creating the file if missing: an existing file as what it is, a new one that ends in
 * `.sqlite` or `.sqlite3` with SQLite, another one with Kùzu.
 *
 * @throws as `Mnemis.open`.
 */
export async function openStoreAt(location: string, options: OpenStoreOptions = {}): Promise<GraphStore> {
  if (isDatabaseUrl(location))
    throw new InvalidInputError(
      `${withoutPassword(location)} names a database server, and this version opens files only`,
    );
  const path = realPath(location);
  if (kindOfFile(path) === 'sqlite') {
    const { openSqliteStore } = await import('../store/sql/sqlite/sqlite-store.ts');
    return openSqliteStore(path);
  }
  const { KuzuStore } = await import('../store/kuzu/kuzu-store.ts');
  return KuzuStore.open({ path, ...options });
}
