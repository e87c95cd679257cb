import { chmodSync, statfsSync, truncateSync } from 'node:fs';
import { totalmem } from 'node:os';
import { DiskFullError, StoreClosedError } from '../../errors/index.ts';
import { SerialQueue } from '../../util/serial-queue.ts';
import { copyWhole } from '../copy-file.ts';
import type { DatabaseLock } from '../database-lock.ts';
import { lockFile } from '../memory-file.ts';
import { continueSwap, undoSwap } from '../swap-files.ts';
import { dropCopies, keepCopies, undoInterruptedCheckpoint } from './checkpoint-copies.ts';
import { asOpenError, asReadError, asWriteError, isPoolFull } from './failures.ts';
import {
  type Checksum,
  changeStamp,
  checkFileHealth,
  checksum,
  decideReplacement,
  dropReplacement,
  finishReplacement,
  makePrivate,
  readSeal,
  Seal,
  shadowPath,
  sizeOf,
  walPath,
} from './file-set.ts';
import {
  KuzuConnection,
  type KuzuCursor,
  type KuzuParameters,
  type KuzuRow,
  type KuzuSession,
} from './kuzu-connection.ts';
import { loadKuzu } from './load-kuzu.ts';
import { clearUnusedBytes } from './unused-bytes.ts';

const MEBIBYTE = 1024 * 1024;

export interface CopyFilesOptions<T> {
  readonly signal?: AbortSignal | undefined;
  /** Reads that must see the copied state. */
  readonly inside: () => Promise<T>;
}

/** What a transaction writes. */
export interface WriteSize {
  /** Approximate, to reject it beforehand when the disk is full. */
  readonly bytes?: number;
  /** Commits of scopes. Default: none. */
  readonly commits?: number;
}

export interface FilesCopied<T> {
  readonly result: T;
  /** How long transactions had to wait. */
  readonly heldMilliseconds: number;
}

export interface KuzuDatabaseOptions {
  /** Size of the page cache when the file is opened. */
  readonly bufferPoolBytes: number;
  /**
   * The page cache is doubled up to this size where an opening, a commit or a checkpoint does not fit. Measured: 32 MB are
   * too few for checkpoints of a file of 73 to 149 MB, by the length of its vectors, and 512 MB for one of 2.5 GB.
   */
  readonly mostBufferPoolBytes: number;
  readonly maxDatabaseBytes: number;
  /** A checkpoint runs when the log is this long. It rewrites the row group of the newest rows. */
  readonly checkpointBytes: number;
  /** A checkpoint also runs after this long without writes, if the log is an eighth of the file. */
  readonly idleMilliseconds: number;
  /**
   * The size that a smaller file counts as when its log is compared with it: at `close`, a log under a 32nd of it stays.
   * The first checkpoint makes a file of some 40 MB, of which 30 are the indexes of primary keys: 256 parts for each
   * table of nodes, of three or four pages each. Until then the log takes 8 to 30 kB for each turn, and opening reads it
   * at 25 MB/s.
   */
  readonly leastFileBytes: number;
  /** Free disk space that a commit must leave. */
  readonly spareBytes: number;
  /** A file that is deleted if its creation is interrupted: its checkpoints need no copies. */
  readonly disposable: boolean;
}

export const DATABASE_DEFAULTS: KuzuDatabaseOptions = {
  bufferPoolBytes: 512 * MEBIBYTE,
  mostBufferPoolBytes: Math.min(totalmem(), process.constrainedMemory?.() || Infinity) / 2,
  maxDatabaseBytes: 2 ** 36,
  checkpointBytes: 128 * MEBIBYTE,
  idleMilliseconds: 10_000,
  leastFileBytes: 256 * MEBIBYTE,
  spareBytes: MEBIBYTE,
  disposable: false,
};

/**
 * One open database file: a queue of transactions, a queue of reads, checkpoints, and recovery of its files.
 *
 * After a failed COMMIT, Kùzu holds rows that its log lacks, and the damaged end of the log hides every later commit
 * from recovery. So the file is then closed without a checkpoint, the log is truncated to the last acknowledged commit,
 * and the file is opened again. The same happens after the rollback of a transaction that changed a row: in this
 * process, later changes of that row would fail or end the process (defect 18).
 */
export class KuzuDatabase {
  readonly path: string;
  #options: KuzuDatabaseOptions;
  readonly #lock: DatabaseLock;
  readonly #seal: Seal;
  readonly #writes = new SerialQueue();
  readonly #reads = new SerialQueue();
  readonly #upkeep = new SerialQueue();
  #connection: KuzuConnection;
  #log: Checksum = { bytes: 0, crc: 0 };
  #databaseBytes = 0;
  /** Of all scopes; undefined until it was counted. */
  #commits: number | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #broken: unknown;
  #checkpointOverdue = false;
  /** While the file is copied, checkpoints are postponed, because only they change it. */
  #isCopied = false;
  #reopening: Promise<void> | undefined;

  private constructor(
    path: string,
    options: KuzuDatabaseOptions,
    lock: DatabaseLock,
    connection: KuzuConnection,
  ) {
    this.path = path;
    this.#options = options;
    this.#lock = lock;
    this.#connection = connection;
    this.#seal = new Seal(path);
  }

  /**
   * @throws PackageMissingError, DatabaseLockedError, DatabaseCorruptError, DiskFullError or StoreReadError; the
   *   file is unchanged.
   */
  static async open(path: string, options: KuzuDatabaseOptions = DATABASE_DEFAULTS): Promise<KuzuDatabase> {
    loadKuzu(); // fails before anything is written
    const lock = await lockFile(path);
    try {
      const isReplaced = continueSwap(path);
      const opened = await openChecked(path, options).catch((error: unknown) => {
        if (!isReplaced) throw error;
        undoSwap(path);
        return openChecked(path, options);
      });
      const database = new KuzuDatabase(path, opened.options, lock, opened.connection);
      database.#settle();
      return database;
    } catch (error) {
      await lock.release();
      throw asOpenError(path, error);
    }
  }

  /** Whether the last checkpoint failed, mostly for lack of disk space: the log grows until one succeeds. */
  get checkpointOverdue(): boolean {
    return this.#checkpointOverdue;
  }

  /** Tells how many commits the scopes have had, which the seal records from now on. */
  countCommits(commits: number): void {
    this.#commits = commits;
    this.#writeSeal('settled');
  }

  /** Runs one read at a time; it sees what was committed before it starts. */
  read(statement: string, parameters: KuzuParameters = {}): Promise<KuzuRow[]> {
    return this.#inReads((session) => session.run(statement, parameters));
  }

  /** Runs one statement with each of several parameter sets, as one job. Rows come in no particular order. */
  readEach(statement: string, parameters: readonly KuzuParameters[]): Promise<KuzuRow[]> {
    return this.#inReads(async (session) => {
      const half = Math.ceil(parameters.length / 2);
      const parts = await Promise.allSettled([
        runEach(session, statement, parameters.slice(0, half)),
        runEach(this.#connection.secondReader, statement, parameters.slice(half)),
      ]);
      return parts.flatMap((part) => {
        if (part.status === 'rejected') throw part.reason;
        return part.value;
      });
    });
  }

  /** Returns a cursor, which the caller must close. The query has finished when this resolves. */
  cursor(statement: string, parameters: KuzuParameters = {}): Promise<KuzuCursor> {
    return this.#inReads((session) => session.open(statement, parameters));
  }

  /**
   * Runs a job of statements as one transaction, after all earlier jobs. An error in the job or the database rolls it
   * back. The job runs again, with more memory, if the page cache was full.
   *
   * @param size Of the write.
   */
  write<T>(
    job: (session: KuzuSession) => Promise<T>,
    { bytes = 0, commits = 0 }: WriteSize = {},
  ): Promise<T> {
    this.checkOpen();
    return this.#writes.run(async () => {
      try {
        await this.#reopenIfBroken();
        this.#checkRoom(bytes);
        return await this.#transactWithRoom(job, commits);
      } catch (error) {
        throw asWriteError(this.path, error);
      } finally {
        this.#planCheckpoint();
      }
    });
  }

  /** Runs a job of reads between two transactions: nothing is committed while it runs. */
  exclusive<T>(job: () => Promise<T>): Promise<T> {
    this.checkOpen();
    return this.#writes.run(job);
  }

  /** Moves the log into the file. */
  checkpoint(): Promise<void> {
    this.checkOpen();
    return this.#writes.run(() => this.#checkpoint());
  }

  /**
   * Copies database and log as they are between two transactions, and seals the copy. Transactions continue while the
   * file is copied, because only checkpoints change it and these are postponed. Transactions wait while the log is
   * copied and `inside` runs.
   */
  copyFiles<T>(to: string, { signal, inside }: CopyFilesOptions<T>): Promise<FilesCopied<T>> {
    this.checkOpen();
    return this.#upkeep.run(async () => {
      this.#isCopied = true;
      try {
        const before = await this.#writes.run(async () => {
          await this.#reopenIfBroken();
          return changeStamp(this.path);
        });
        await copyWhole(this.path, to, { signal });
        return await this.#writes.run(() => this.#endCopy(to, { before, signal, inside }));
      } catch (error) {
        throw signal?.aborted ? error : asWriteError(to, error);
      } finally {
        this.#isCopied = false;
        this.#planCheckpoint();
      }
    });
  }

  async #endCopy<T>(
    to: string,
    { before, signal, inside }: CopyFilesOptions<T> & { readonly before: string },
  ): Promise<FilesCopied<T>> {
    const started = performance.now();
    this.checkOpen();
    await this.#reopenIfBroken();
    // A failed commit caused the file to be opened again: copy it again, while writers wait.
    if (changeStamp(this.path) !== before) await copyWhole(this.path, to, { signal });
    await copyWhole(walPath(this.path), walPath(to), { bytes: this.#log.bytes, signal });
    const seal = new Seal(to);
    seal.write({
      state: 'settled',
      databaseBytes: sizeOf(to),
      walBytes: this.#log.bytes,
      walCrc: this.#log.crc,
    });
    seal.close();
    const result = await inside();
    return { result, heldMilliseconds: performance.now() - started };
  }

  /**
   * Replaces the file and its log by those that `build` creates beside them, and opens them. Transactions wait. Reads
   * continue except during the replacement itself, which aborts open cursors.
   */
  replaceFile<T>(build: () => Promise<T>): Promise<T> {
    this.checkOpen();
    return this.#upkeep.run(() =>
      this.#writes.run(async () => {
        this.checkOpen();
        await this.#reopenIfBroken();
        const result = await build();
        await this.#reads.run(() => this.#exchange());
        return result;
      }),
    );
  }

  async #exchange(): Promise<void> {
    let failure: unknown;
    await this.#reopen(() => {
      try {
        this.#log = decideReplacement(this.path, this.#seal);
      } catch (error) {
        failure = error;
      }
    });
    if (this.#broken !== undefined) throw asOpenError(this.path, this.#broken);
    if (failure !== undefined) throw asWriteError(this.path, failure);
  }

  /**
   * Waits for running jobs. Keeps the log beside the file if a checkpoint would take longer than replaying it, or would
   * make a small memory many times as large.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#writes.drain();
    await this.#reads.drain();
    try {
      if (this.#broken === undefined && this.#log.bytes * 32 >= this.#countedBytes())
        await this.#checkpoint();
    } catch {
      // The log holds everything acknowledged; the next open replays it.
    }
    try {
      await this.#connection.close();
      this.#seal.close();
    } finally {
      await this.#lock.release();
    }
  }

  #inReads<T>(job: (session: KuzuSession) => Promise<T>): Promise<T> {
    this.checkOpen();
    return this.#reads.run(async () => {
      try {
        await this.#reopenIfBroken();
        return await job(this.#connection.reader);
      } catch (error) {
        throw asReadError(error);
      }
    });
  }

  async #transactWithRoom<T>(job: (session: KuzuSession) => Promise<T>, commits: number): Promise<T> {
    for (;;) {
      try {
        return await this.#transact(job, commits);
      } catch (error) {
        if (!this.#growPool(error)) throw error;
        await this.#reads.run(() => this.#reopen());
        if (this.#broken !== undefined) throw asOpenError(this.path, this.#broken);
      }
    }
  }

  /** Doubles the page cache for the next open, if that may help. */
  #growPool(error: unknown): boolean {
    const larger = withLargerPool(this.#options, error);
    this.#options = larger ?? this.#options;
    return larger !== null;
  }

  async #transact<T>(job: (session: KuzuSession) => Promise<T>, commits: number): Promise<T> {
    const session = this.#connection.writer;
    let result: T;
    await session.run('BEGIN TRANSACTION');
    try {
      result = await job(session);
    } catch (error) {
      await session.run('ROLLBACK').catch(() => undefined); // after its own error, the database has rolled back already
      if (session.hasChangedRows) await this.#reads.run(() => this.#reopen()); // defect 18
      throw error;
    }
    try {
      await session.run('COMMIT');
      this.#sealLog(commits);
    } catch (error) {
      await this.#reads.run(() => this.#reopen()); // closing a file during a read ends the process (defect 9)
      throw error;
    }
    return result;
  }

  /** Seals the acknowledged log, so that `checkFileHealth` can check that it is complete. */
  #sealLog(commits: number): void {
    const log = checksum(walPath(this.path), this.#log);
    const before = this.#commits;
    if (before !== undefined) this.#commits = before + commits;
    try {
      this.#writeSeal('settled', log);
    } catch (error) {
      this.#commits = before;
      throw error;
    }
    this.#log = log; // only now: if the seal cannot be written, the commit fails and is truncated
  }

  /** Schedules a checkpoint as a separate job, so that no commit waits for it. */
  #planCheckpoint(): void {
    clearTimeout(this.#idle);
    if (this.#broken !== undefined || this.#closing !== undefined || this.#isCopied) return;
    const fold = () =>
      this.#writes
        .run(() => this.#checkpoint())
        .catch(() => {
          this.#checkpointOverdue = true; // the next commit schedules it again
        });
    if (this.#log.bytes >= this.#checkpointBytes()) fold();
    else if (this.#log.bytes * 8 >= this.#countedBytes())
      this.#idle = setTimeout(fold, this.#options.idleMilliseconds).unref();
  }

  /** Size of the file in comparisons with its log. */
  #countedBytes(): number {
    return Math.max(sizeOf(this.path), this.#options.leastFileBytes);
  }

  /**
   * A checkpoint copies the file, so larger files get fewer; until then the log's rows stay in the page cache, which also
   * needs room for the checkpoint.
   */
  #checkpointBytes(): number {
    const { checkpointBytes, bufferPoolBytes } = this.#options;
    const most = Math.min(2 * checkpointBytes, bufferPoolBytes / 4);
    return Math.min(Math.max(checkpointBytes, this.#databaseBytes / 8), most);
  }

  /** Runs in a write job. Blocks reads too, because Kùzu waits for them only five seconds. */
  async #checkpoint(): Promise<void> {
    let isDone = false;
    while (!isDone && this.#broken === undefined && this.#log.bytes > 0 && !this.#isCopied)
      isDone = await this.#tryCheckpoint();
  }

  /** False if the page cache was full; it is larger now. */
  async #tryCheckpoint(): Promise<boolean> {
    const { disposable } = this.#options;
    this.#checkRoom(this.#log.bytes + (disposable ? 0 : this.#databaseBytes));
    if (!disposable) await keepCopies(this.path);
    return this.#reads.run(async () => {
      this.#writeSeal('unsettled');
      makePrivate(shadowPath(this.path));
      try {
        await this.#connection.writer.run('CHECKPOINT');
        clearUnusedBytes(this.path); // defect 19
        makePrivate(walPath(this.path));
        this.#settle();
        dropCopies(this.path);
        this.#checkpointOverdue = false;
        return true;
      } catch (error) {
        const hasGrown = this.#growPool(error);
        await this.#reopen();
        if (hasGrown && this.#broken === undefined) return false;
        throw asWriteError(this.path, error);
      }
    });
  }

  /** Truncates what a failed commit wrote after the acknowledged log. */
  #cutLog(): void {
    if (sizeOf(walPath(this.path)) > this.#log.bytes) truncateSync(walPath(this.path), this.#log.bytes);
  }

  /**
   * After a failed commit or checkpoint, or a rolled back change: closes the file, restores the acknowledged state, and
   * opens the file again. A failure sets `#broken`, and the next use repeats all steps.
   */
  async #reopen(whileClosed: () => void = () => undefined): Promise<void> {
    try {
      try {
        this.#seal.release();
        this.#cutLog();
      } finally {
        await this.#connection.close(); // writes the log's last page again
      }
      undoInterruptedCheckpoint(this.path);
      this.#cutLog();
      whileClosed();
      finishReplacement(this.path);
      const { connection, options } = await openFiles(this.path, this.#options);
      [this.#connection, this.#options] = [connection, options];
      this.#seal.reserve();
      this.#settle();
      this.#broken = undefined;
    } catch (error) {
      this.#broken = error;
    }
  }

  /** After an open or a checkpoint: seals the current files. */
  #settle(): void {
    this.#databaseBytes = sizeOf(this.path);
    this.#log = checksum(walPath(this.path));
    this.#writeSeal('settled');
  }

  #writeSeal(state: 'settled' | 'unsettled', { bytes, crc }: Checksum = this.#log): void {
    const [databaseBytes, commits] = [this.#databaseBytes, this.#commits];
    this.#seal.write({ state, databaseBytes, walBytes: bytes, walCrc: crc, commits });
  }

  #checkRoom(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.path);
    if (bavail * bsize < 2 * bytes + this.#options.spareBytes) throw new DiskFullError(this.path);
  }

  /** @throws StoreClosedError once `close` was called. */
  checkOpen(): void {
    if (this.#closing !== undefined) throw new StoreClosedError();
  }

  /** Retries after a failed reopen: there may be disk space again. */
  async #reopenIfBroken(): Promise<void> {
    if (this.#broken === undefined) return;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    await this.#reopening;
    if (this.#broken !== undefined) throw asOpenError(this.path, this.#broken);
  }
}

interface OpenFiles {
  readonly connection: KuzuConnection;
  /** With the page cache that the log needed. */
  readonly options: KuzuDatabaseOptions;
}

async function openChecked(path: string, options: KuzuDatabaseOptions): Promise<OpenFiles> {
  undoInterruptedCheckpoint(path);
  finishReplacement(path);
  dropReplacement(path);
  checkFileHealth(path);
  return openFiles(path, options);
}

/** Kùzu deletes an empty log when it opens; create an empty private one again for it to write to. */
async function openFiles(path: string, given: KuzuDatabaseOptions): Promise<OpenFiles> {
  if (sizeOf(path) === 0) {
    const seal = new Seal(path);
    seal.write({ state: 'creating', databaseBytes: 0, walBytes: 0, walCrc: 0 });
    seal.close();
  }
  makePrivate(walPath(path));
  const { connection, options } = await connect(path, given);
  try {
    chmodSync(path, 0o600); // opening and closing it here would release Kùzu's own lock
    if (readSeal(path)?.state === 'creating') clearUnusedBytes(path); // defect 19; releases the lock of a new file
    makePrivate(walPath(path));
    return { connection, options };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function connect(path: string, options: KuzuDatabaseOptions): Promise<OpenFiles> {
  try {
    return { connection: await KuzuConnection.open(path, options), options };
  } catch (error) {
    const larger = withLargerPool(options, error);
    if (larger === null) throw error;
    return connect(path, larger);
  }
}

/** Options with a page cache of twice the size; null if it was not full, or cannot be larger. */
function withLargerPool(options: KuzuDatabaseOptions, error: unknown): KuzuDatabaseOptions | null {
  const { bufferPoolBytes, mostBufferPoolBytes } = options;
  const larger = Math.min(2 * bufferPoolBytes, Math.floor(mostBufferPoolBytes / MEBIBYTE) * MEBIBYTE);
  return isPoolFull(error) && larger > bufferPoolBytes ? { ...options, bufferPoolBytes: larger } : null;
}

async function runEach(
  session: KuzuSession,
  statement: string,
  parameters: readonly KuzuParameters[],
): Promise<KuzuRow[]> {
  const rows: KuzuRow[] = [];
  for (const each of parameters) rows.push(...(await session.run(statement, each)));
  return rows;
}
