import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CancelledError, DatabaseCorruptError, DiskFullError } from '../../../errors/index.ts';
import { syncFolder } from '../../../util/files.ts';
import { eraseDeleted, isDiskFull, type SqliteConnection, sqliteFiles } from '../../../util/sqlite-file.ts';
import type { Compaction, CompactionOptions, FilesCopy, ScopeMark, StoreFiles } from '../../store-files.ts';
import { decodeScope } from '../sql-codec.ts';
import { tableIn } from '../sql-database.ts';
import type { SqlMeta } from '../sql-meta.ts';
import { SCOPE_TABLE, SCOPED_TABLES } from '../sql-schema.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Copies the file of an open database, or rebuilds it without the remains of removed rows. */
export class SqliteFiles implements StoreFiles {
  readonly #database: SqliteDatabase;
  readonly #meta: SqlMeta;

  constructor(database: SqliteDatabase, meta: SqlMeta) {
    this.#database = database;
    this.#meta = meta;
  }

  paths(): readonly string[] {
    return sqliteFiles(this.#database.location);
  }

  /** The copy holds the rows and nothing else: `VACUUM INTO` leaves out the remains of removed ones. */
  async copy(to: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<FilesCopy> {
    return this.#database.exclusive('write', async (connection) => {
      if (signal?.aborted) throw new CancelledError('nothing was copied', signal.reason);
      const started = performance.now();
      rmSync(to, { force: true });
      try {
        connection.run('VACUUM INTO ?', [to]);
      } catch (error) {
        throw isDiskFull(to, error) ? new DiskFullError(to, error) : error;
      }
      chmodSync(to, 0o600);
      syncFile(to);
      return {
        files: [to],
        databaseId: this.#meta.current.databaseId,
        scopes: marksIn(connection),
        heldMilliseconds: performance.now() - started,
      };
    });
  }

  /** `VACUUM` writes the new file through the log, so that a kill leaves the old content or the new one. */
  async compact({ signal, onProgress }: CompactionOptions = {}): Promise<Compaction> {
    const done = await this.#database.exclusive('write', async (connection) => {
      if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
      const rows = countRows(connection);
      onProgress?.({ step: 'copy', done: 0, total: rows });
      await wait(0); // the last moment to cancel: SQLite then holds the thread
      if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
      eraseDeleted(connection);
      const bytesBefore = sizeOf(this.#database.location);
      connection.exec('VACUUM');
      eraseDeleted(connection);
      onProgress?.({ step: 'check', done: 0, total: rows });
      const [check] = connection.all('PRAGMA quick_check(1)').map((row) => Object.values(row)[0]);
      if (check !== 'ok' || countRows(connection) !== rows)
        throw new DatabaseCorruptError(this.#database.location, 'a check after its compaction failed');
      onProgress?.({ step: 'check', done: rows, total: rows });
      return { rows, bytesBefore, bytesAfter: sizeOf(this.#database.location) };
    });
    await this.#meta.rename(randomUUID());
    return done;
  }
}

function marksIn(connection: SqliteConnection): ScopeMark[] {
  const rows = connection.all(`SELECT scope, sequence, token FROM main.${SCOPE_TABLE}`);
  return rows.map(({ scope, sequence, token }) => ({
    scope: decodeScope(scope as string),
    sequence: Number(sequence),
    token: Number(token),
  }));
}

function countRows(connection: SqliteConnection): number {
  const counts = SCOPED_TABLES.map(
    ({ name }) => `(SELECT COUNT(*) FROM ${tableIn({ schema: 'main' }, name)})`,
  );
  return Number(Object.values(connection.get(`SELECT ${counts.join(' + ')}`) ?? {})[0] ?? 0);
}

function sizeOf(path: string): number {
  return sqliteFiles(path).reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}
