import { chmodSync, closeSync, openSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { z } from 'zod';
import { DatabaseLockedError, DiskFullError, MnemisError, StoreClosedError } from '../../errors/index.ts';
import { hasCode } from '../../errors/mnemis-error.ts';
import { DatabaseLock } from '../../store/database-lock.ts';
import { makeFolder } from '../../util/files.ts';

type Database = InstanceType<typeof sqlite.Database>;
export type SqlValue = string | number | bigint | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

const holderSchema = z.object({ pid: z.number() });

/**
 * One SQLite file, opened exclusively by one object of one process. A commit is on disk when it returns. Deleted data
 * is overwritten, and erased from the write-ahead log by `erase`, which shrinks the file.
 *
 * SQLite's own lock here is a folder `<path>.lock`, which a killed process never removes. So `<path>.owner.lock`, which
 * records its owner, is acquired first.
 */
export class SqliteFile {
  readonly path: string;
  readonly #database: Database;
  readonly #lock: DatabaseLock;
  #closing: Promise<void> | null = null;

  private constructor(path: string, database: Database, lock: DatabaseLock) {
    this.path = path;
    this.#database = database;
    this.#lock = lock;
  }

  /** @throws DatabaseLockedError, FolderNotWritableError, CheckpointFileError: the file is unchanged. */
  static async open(file: string): Promise<SqliteFile> {
    const path = resolve(file);
    const lock = await lockOf(path);
    try {
      return new SqliteFile(path, openDatabase(path), lock);
    } catch (error) {
      await lock.release();
      throw asFileError(path, error);
    }
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
    this.all('PRAGMA incremental_vacuum');
    this.all('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Rebuilds the file without unused space; from then on `erase` shrinks it, whoever created it. */
  compact(): void {
    this.all('PRAGMA auto_vacuum = INCREMENTAL');
    this.all('VACUUM');
    this.erase();
  }

  /** The file and its companions that may hold text. */
  files(): readonly string[] {
    return [this.path, `${this.path}-wal`, `${this.path}-journal`];
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
      await this.#lock.release();
    }
  }

  #run<T>(job: (database: Database) => T): T {
    if (this.#closing !== null) throw new StoreClosedError();
    try {
      return job(this.#database);
    } catch (error) {
      throw asFileError(this.path, error);
    }
  }
}

async function lockOf(path: string): Promise<DatabaseLock> {
  const owned = `${path}.owner`;
  await makeFolder(dirname(path)).catch((error) => {
    throw new CheckpointFileError(path, 'its folder cannot be created', error);
  });
  try {
    return await DatabaseLock.acquire(owned);
  } catch (error) {
    if (!DatabaseLockedError.isInstance(error)) throw error;
    throw new DatabaseLockedError(path, holderOf(`${owned}.lock`), error);
  }
}

function holderOf(lock: string): string {
  try {
    const { pid } = holderSchema.parse(JSON.parse(readFileSync(lock, 'utf8')));
    const who = pid === process.pid ? 'this process' : 'the process';
    return `${who} with pid ${pid}; if it certainly no longer runs, delete ${lock}`;
  } catch {
    return `another process; if there certainly is none, delete ${lock}`;
  }
}

function openDatabase(path: string): Database {
  removeStaleLock(path);
  makePrivate(path);
  const database = new sqlite.Database(path);
  try {
    // Exclusive locking first: without shared memory, a write-ahead log requires it. Then what lets a new file shrink,
    // before the journal mode writes the first page.
    for (const setting of [
      'locking_mode = EXCLUSIVE',
      'auto_vacuum = INCREMENTAL',
      'journal_mode = WAL',
      'synchronous = FULL',
      'secure_delete = ON',
      'temp_store = MEMORY',
    ])
      database.all(`PRAGMA ${setting}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Safe to remove: this process holds the owner lock. */
function removeStaleLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** SQLite's messages name tables and columns, never values. */
function asFileError(path: string, error: unknown): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/disk is full|ENOSPC|EDQUOT/i.test(message)) return new DiskFullError(path, error);
  if (/not a database|malformed/i.test(message))
    return new CheckpointFileError(path, 'it is not a SQLite database, or it is damaged', error);
  return new CheckpointFileError(path, message, error);
}

/** The file of checkpoints cannot be read or written. */
export class CheckpointFileError extends MnemisError {
  static readonly code = 'checkpoint-file';
  static override readonly isInstance = hasCode<CheckpointFileError>(CheckpointFileError.code);

  constructor(path: string, reason: string, cause?: unknown) {
    super({
      code: CheckpointFileError.code,
      message: `The checkpoints in ${path} cannot be used (${reason}); what was acknowledged before is kept, and memory is not touched. Remove the cause and try again, or choose another file.`,
      cause,
    });
  }
}
