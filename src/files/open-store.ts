import { basename, dirname } from 'node:path';
import { InvalidInputError, StoreUnsupportedError } from '../errors/index.ts';
import { readWordsOf } from '../search/turn-text.ts';
import { givenPath } from '../store/given-path.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { isKuzuLoadable } from '../store/kuzu/load-kuzu.ts';
import { type FileKind, kindOfFile, realPath } from '../store/memory-file.ts';
import type { PostgresOptions } from '../store/postgres-options.ts';
import type { Records } from '../store/sql/postgres/postgres-records.ts';
import type { CutLog, CutLogOptions } from '../store/store-files.ts';
import { isDatabaseUrl } from '../util/database-url.ts';
import { makeFolder } from '../util/files.ts';

export interface OpenStoreOptions {
  /** Page cache of a Kùzu file in bytes. */
  readonly bufferPoolBytes?: number;
}

/** The options of `Mnemis.open` that name a store. */
export interface NamedStore {
  readonly path?: string | undefined;
  readonly store?: PostgresOptions | undefined;
  readonly bufferPoolMb?: number | undefined;
}

/**
 * Opens the graph store at a path or a URL. An existing file is opened as what it is; a missing one is created, with
 * SQLite if it ends in `.sqlite` or `.sqlite3`, otherwise with Kùzu. A URL `postgres://…` names a database server.
 *
 * @throws as `Mnemis.open`.
 */
export async function openStoreAt(location: string, options: OpenStoreOptions = {}): Promise<GraphStore> {
  if (isDatabaseUrl(location)) {
    return openPostgres({ url: location });
  }
  const path = realPath(givenPath(location));
  const kind = kindOfFile(path);
  try {
    return await openFile(kind, path, options);
  } catch (error) {
    // The opening may have put the files of another kind back, because those that were to replace them are no memory.
    const now = kindOfFile(path);
    if (now === kind) throw error;
    return openFile(now, path, options);
  }
}

/** Opens or creates a file of a kind. @throws StoreUnsupportedError for a Kùzu file in another program than Node.js on Windows */
export async function openFile(
  kind: FileKind,
  path: string,
  options: OpenStoreOptions = {},
): Promise<GraphStore> {
  if (kind === 'sqlite') {
    const { openSqliteStore } = await import('../store/sql/sqlite/sqlite-store.ts');
    return openSqliteStore(path);
  }
  if (!isKuzuLoadable()) throw new StoreUnsupportedError(path, basename(process.execPath));
  const { KuzuStore } = await import('../store/kuzu/kuzu-store.ts');
  return KuzuStore.open({ path, ...options });
}

/**
 * Has the next opening of a file take its damaged log up to the break, and keeps the damaged files aside.
 *
 * @throws InvalidInputError if there is no such damage.
 */
export async function cutLogAt(path: string, options: CutLogOptions): Promise<CutLog> {
  if (kindOfFile(path) !== 'kuzu')
    throw new InvalidInputError(
      'Only the log of a Kùzu file can be cut; SQLite reads its own up to the break',
    );
  const { cutDamagedLog } = await import('../store/kuzu/cut-log.ts');
  return cutDamagedLog(path, options);
}

/**
 * Opens the store that options of `Mnemis.open` name, other than `:memory:`, and creates the folder of its file.
 *
 * @throws as `Mnemis.open`.
 */
export async function openNamedStore(named: NamedStore): Promise<GraphStore> {
  const { path = '', store, bufferPoolMb } = named;
  if (store !== undefined) return openPostgres(store);
  const location = (await fileOf(named)) ?? path.trim();
  return openStoreAt(location, bufferPoolMb === undefined ? {} : { bufferPoolBytes: bufferPoolMb * 2 ** 20 });
}

/** The one name of the file that options name, whose folder is made; null where they name a server. @throws InvalidInputError */
export async function fileOf({ path, store }: NamedStore): Promise<string | null> {
  const given = path?.trim() ?? '';
  if (store !== undefined || isDatabaseUrl(given)) return null;
  const location = givenPath(given);
  await makeFolderFor(location);
  return realPath(location);
}

async function openPostgres(options: PostgresOptions): Promise<GraphStore> {
  const { openPostgresStore } = await import('../store/sql/postgres/postgres-store.ts');
  return openPostgresStore(options, { readWords: readWordsOf });
}

async function makeFolderFor(path: string): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder).catch(({ code }: NodeJS.ErrnoException) => {
    throw new InvalidInputError(`The folder ${folder} cannot be made (${code}); choose another path`);
  });
}

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
