import { dirname } from 'node:path';
import { DiskFullError, MnemisError, StoreClosedError } from '../../errors/index.ts';
import { defineError } from '../../errors/mnemis-error.ts';
import type { DatabaseLock } from '../../store/database-lock.ts';
import { givenPath } from '../../store/given-path.ts';
import { lockFile, realPath } from '../../store/memory-file.ts';
import { makeFolder } from '../../util/files.ts';
import {
  eraseDeleted,
  isDiskFull,
  openInMemory,
  openSqlite,
  type SqliteConnection,
  sqliteFiles,
} from '../../util/sqlite-file.ts';

export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

const IN_MEMORY = ':memory:';

/**
 * One SQLite file, opened exclusively by one object of one process. A commit is on disk when it returns. Deleted data
 * is overwritten, and erased from the write-ahead log by `erase`, which shrinks the file.
 */
export class SqliteFile {
  readonly path: string;
  readonly #database: SqliteConnection;
  readonly #lock: DatabaseLock | null;
  #closing: Promise<void> | null = null;

  private constructor(path: string, database: SqliteConnection, lock: DatabaseLock | null) {
    this.path = path;
    this.#database = database;
    this.#lock = lock;
  }

  /** @throws DatabaseLockedError, FolderNotWritableError, CheckpointFileError: the file is unchanged. */
  static async open(file: string): Promise<SqliteFile> {
    const given = givenPath(file);
    await makeFolder(dirname(given)).catch((error) => {
      throw new CheckpointFileError(given, 'its folder cannot be created', error);
    });
    const path = realPath(given);
    const lock = await lockFile(path);
    try {
      return new SqliteFile(path, openSqlite(path), lock);
    } catch (error) {
      await lock.release();
      throw asFileError(path, error);
    }
  }

  /** A database that no file has. */
  static inMemory(): SqliteFile {
    return new SqliteFile(IN_MEMORY, openInMemory(), null);
  }

  get isInMemory(): boolean {
    return this.path === IN_MEMORY;
  }

  /** The rows of a query; values are bound to the question marks in order. @throws CheckpointFileError */
  all(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.#run((database) => database.all(sql, [...values]) as SqlRow[]);
  }

  /**
   * Executes a write and returns the number of changed rows. Outside a transaction it is its own transaction. @throws
   * CheckpointFileError
   */
  run(sql: string, values: readonly SqlValue[] = []): number {
    return this.#run((database) => database.run(sql, [...values]).changes);
  }

  /** Runs the job in a transaction. The job is synchronous, so that two jobs cannot interleave. */
  transaction<T>(job: () => T): T {
    return this.#run((database) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = job();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Gives the space of deleted data back, and erases deleted and replaced data from the write-ahead log. */
  erase(): void {
    this.#run(eraseDeleted);
  }

  /** Rebuilds the file without unused space; from then on `erase` shrinks it, whoever created it. */
  compact(): void {
    this.all('PRAGMA auto_vacuum = INCREMENTAL');
    this.all('VACUUM');
    this.erase();
  }

  /** The file and its companions that may hold text. */
  files(): readonly string[] {
    return this.isInMemory ? [] : sqliteFiles(this.path);
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      this.#database.close();
    } catch (error) {
      throw asFileError(this.path, error);
    } finally {
      await this.#lock?.release();
    }
  }

  #run<T>(job: (database: SqliteConnection) => T): T {
    if (this.#closing !== null) throw new StoreClosedError();
    try {
      return job(this.#database);
    } catch (error) {
      throw asFileError(this.path, error);
    }
  }
}

/** SQLite's messages name tables and columns, never values. */
function asFileError(path: string, error: unknown): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isDiskFull(path, error)) return new DiskFullError(path, error);
  if (/not a database|malformed/i.test(message))
    return new CheckpointFileError(path, 'it is not a SQLite database, or it is damaged', error);
  return new CheckpointFileError(path, message, error);
}

/** The file of checkpoints cannot be read or written. */
export class CheckpointFileError extends defineError(
  'checkpoint-file',
  (path: string, reason: string, cause?: unknown) => ({
    message: `The checkpoints in ${path} cannot be used (${reason}); what was acknowledged before is kept, and memory is not touched. Remove the cause and try again, or choose another file.`,
    cause,
  }),
) {}
