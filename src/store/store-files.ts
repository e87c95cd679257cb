import type { Scope } from '../model/ids.ts';

/** The last commit of a scope; see `ScopeState`. */
export interface ScopeMark {
  readonly scope: Scope;
  readonly sequence: number;
  readonly token: number;
}

export interface FilesCopy {
  /** The copied files: the database file first, then those that belong to it. */
  readonly files: readonly string[];
  readonly databaseId: string;
  /** The state of each scope: the copy holds exactly these commits. */
  readonly scopes: readonly ScopeMark[];
  /** How long writers had to wait. */
  readonly heldMilliseconds: number;
}

/** Counts rows of all tables, including relationships. Each row is copied, then read back and compared. */
export interface CompactionProgress {
  readonly step: 'copy' | 'check';
  readonly done: number;
  readonly total: number;
}

export interface Compaction {
  readonly rows: number;
  /** With the log merged: its rows take more room in the file, with or without a compaction. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface CompactionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CompactionProgress) => void) | undefined;
}

/** Operations on the files of a store that has some. */
export interface StoreFiles {
  /** Every file that may hold text of the store, whether or not it exists now. */
  paths(): readonly string[];

  /**
   * Copies the database, its log and its seal to `to` and beside it, as they are between two commits. Writes continue
   * meanwhile and wait only for the copy of the log. After a failure, the caller must remove what was copied.
   *
   * @throws CancelledError, DiskFullError, StoreWriteError.
   */
  copy(to: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<FilesCopy>;

  /**
   * Writes every row into a new file, compares it with the old one, and replaces that in one step, so that the files
   * keep nothing of removed rows. The database gets a new id, which invalidates older index snapshots. Writes wait
   * meanwhile, reads only for the last step.
   *
   * @throws CancelledError, DiskFullError, StoreWriteError; the file is then unchanged.
   */
  compact(options?: CompactionOptions): Promise<Compaction>;
}

/** A damaged log that the next opening reads up to the break. */
export interface CutLog {
  /** Folder with the files as they were. */
  readonly kept: string;
  /** Commits of all scopes that were acknowledged; null if that is not known. */
  readonly commits: number | null;
  /** Whether the log has its full length, so that what is damaged are bytes within it. */
  readonly altered: boolean;
  /** Puts the damaged files back. */
  undo(): Promise<void>;
}

export interface CutLogOptions {
  /** A new folder for the files as they are. */
  readonly kept: string;
  /** Whether a copy opens; a database may crash on changed bytes, so it is tried in another process. */
  readonly opens: (path: string) => Promise<boolean>;
}
