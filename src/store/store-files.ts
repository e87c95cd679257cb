import type { Scope } from '../model/ids.ts';

/** Where a scope stands; see `ScopeState`. */
export interface ScopeMark {
  readonly scope: Scope;
  readonly sequence: number;
  readonly token: number;
}

export interface FilesCopy {
  /** What was written: the database file first, then what lies beside it. */
  readonly files: readonly string[];
  readonly databaseId: string;
  /** Where each scope stood: the copy holds exactly these commits. */
  readonly scopes: readonly ScopeMark[];
  /** How long writers had to wait. */
  readonly heldMilliseconds: number;
}

/** Rows of all tables, relationships among them. A row is copied, then read back and compared. */
export interface CompactionProgress {
  readonly step: 'copy' | 'check';
  readonly done: number;
  readonly total: number;
}

export interface Compaction {
  readonly rows: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface CompactionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CompactionProgress) => void) | undefined;
}

/** What can be done with the files of a store that has some. */
export interface StoreFiles {
  /** Every file that may hold text of the store, whether it is there at this moment or not. */
  paths(): readonly string[];

  /**
   * Copies the database, its log and its seal to `to` and beside it, as they are between two commits. Writes go on
   * meanwhile and wait only for the copy of the log. What a failed copy leaves is the caller's to remove.
   *
   * @throws CancelledError, DiskFullError, StoreWriteError.
   */
  copy(to: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<FilesCopy>;

  /**
   * Writes every row into a new file, checks it against the old one, and puts it in its place in one step; of removed
   * rows nothing is left in the files. The database gets a new id, so that no index snapshot of before is believed.
   * Writes wait meanwhile, reads only for the last step.
   *
   * @throws CancelledError, DiskFullError, StoreWriteError: the file is as it was.
   */
  compact(options?: CompactionOptions): Promise<Compaction>;
}
