import { hasCode, MnemisError } from './mnemis-error.ts';

/** The database rejected a read. */
export class StoreReadError extends MnemisError {
  static readonly code = 'store-read';
  static override readonly isInstance = hasCode<StoreReadError>(StoreReadError.code);

  constructor(reason: string, cause?: unknown) {
    super({
      code: StoreReadError.code,
      message: `The memory could not be read (${reason}); nothing was changed. Run mnemis doctor to check the memory.`,
      cause,
    });
  }
}

/** The database rejected a write and rolled it back. */
export class StoreWriteError extends MnemisError {
  static readonly code = 'store-write';
  static override readonly isInstance = hasCode<StoreWriteError>(StoreWriteError.code);

  constructor(reason: string, cause?: unknown) {
    super({
      code: StoreWriteError.code,
      message: `Nothing of this write was stored (${reason}); everything acknowledged before is kept. Remove the cause and try again.`,
      cause,
    });
  }
}

/** The engine or its store was used after `close()`. */
export class StoreClosedError extends MnemisError {
  static readonly code = 'store-closed';
  static override readonly isInstance = hasCode<StoreClosedError>(StoreClosedError.code);

  constructor() {
    super({
      code: StoreClosedError.code,
      message: 'The memory is closed; everything acknowledged before is stored. Open it again to go on.',
    });
  }
}

/** The file is not a complete Mnemis database. */
export class DatabaseCorruptError extends MnemisError {
  static readonly code = 'database-corrupt';
  static override readonly isInstance = hasCode<DatabaseCorruptError>(DatabaseCorruptError.code);

  constructor(path: string, finding: string, cause?: unknown) {
    super({
      code: DatabaseCorruptError.code,
      message: `${path} cannot be opened as a memory: ${finding}. It was not changed; restore a backup or choose another file.`,
      cause,
    });
  }
}

/** Another process, or another engine in this process, has the database open. */
export class DatabaseLockedError extends MnemisError {
  static readonly code = 'database-locked';
  static override readonly isInstance = hasCode<DatabaseLockedError>(DatabaseLockedError.code);

  readonly path: string;

  constructor(path: string, holder: string, cause?: unknown) {
    super({
      code: DatabaseLockedError.code,
      message: `${path} is open elsewhere (${holder}); nothing was changed. Close it there, or choose another file.`,
      cause,
    });
    this.path = path;
  }
}

/**
 * Another process committed to the scope first, or holds it for a longer piece of work. The engine reads what was
 * committed and tries again; a caller sees this only if that failed repeatedly.
 */
export class CommitConflictError extends MnemisError {
  static readonly code = 'commit-conflict';
  static override readonly isInstance = hasCode<CommitConflictError>(CommitConflictError.code);

  constructor() {
    super({
      code: CommitConflictError.code,
      message:
        'Another process wrote to the same scope at the same time; nothing of this write was stored. Try again.',
    });
  }
}

/** A newer Mnemis wrote the file. */
export class SchemaTooNewError extends MnemisError {
  static readonly code = 'schema-too-new';
  static override readonly isInstance = hasCode<SchemaTooNewError>(SchemaTooNewError.code);

  constructor(path: string, found: number, known: number) {
    super({
      code: SchemaTooNewError.code,
      message: `${path} has schema version ${found}, this version of Mnemis knows ${known}; nothing was changed. Update mnemis to open it.`,
    });
  }
}

/** The disk was full during a write. */
export class DiskFullError extends MnemisError {
  static readonly code = 'disk-full';
  static override readonly isInstance = hasCode<DiskFullError>(DiskFullError.code);

  constructor(
    path: string,
    cause?: unknown,
    kept = 'nothing of this write was stored, everything acknowledged before is kept',
  ) {
    super({
      code: DiskFullError.code,
      message: `There is no room left to write ${path}; ${kept}. Free some space and try again.`,
      cause,
    });
  }
}

/** No lock file can be created beside a database, which even reading needs. */
export class FolderNotWritableError extends MnemisError {
  static readonly code = 'folder-not-writable';
  static override readonly isInstance = hasCode<FolderNotWritableError>(FolderNotWritableError.code);

  constructor(folder: string, reason: string, cause?: unknown) {
    super({
      code: FolderNotWritableError.code,
      message: `The folder ${folder} is not writable (${reason}); nothing was changed. Even reading a memory creates a lock file beside it: grant write access to it, or copy the memory to a folder that you own.`,
      cause,
    });
  }
}

/** Work that was not started because it would fill the disk. */
export class NotEnoughRoomError extends MnemisError {
  static readonly code = 'not-enough-room';
  static override readonly isInstance = hasCode<NotEnoughRoomError>(NotEnoughRoomError.code);

  constructor(work: string, { neededBytes, freeBytes }: { neededBytes: number; freeBytes: number }) {
    super({
      code: NotEnoughRoomError.code,
      message: `${work} needs about ${megabytes(neededBytes)} of free disk space, ${megabytes(freeBytes)} are free; nothing was changed. Free some space and try again.`,
    });
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/**
 * A forgetting stopped after its first step. It is recorded and completed at the next use; until then the rest is
 * hidden.
 */
export class ForgettingStoppedError extends MnemisError {
  static readonly code = 'forgetting-stopped';
  static override readonly isInstance = hasCode<ForgettingStoppedError>(ForgettingStoppedError.code);

  constructor(done: number, total: number, cause?: unknown) {
    super({
      code: ForgettingStoppedError.code,
      message: `Forgetting stopped: ${done} of ${total} turns are removed. The rest is hidden; it is removed at the next use of the scope, or by "resume" (mnemis resume).`,
      cause,
    });
  }
}

/** The embedder that a memory was being moved to failed. */
export class ReembedStoppedError extends MnemisError {
  static readonly code = 'reembed-stopped';
  static override readonly isInstance = hasCode<ReembedStoppedError>(ReembedStoppedError.code);

  /** @param reason What the embedder did; never a text that it was given. */
  constructor(reason: string, kept: string, cause?: unknown) {
    super({
      code: ReembedStoppedError.code,
      message: `The move to another embedder stopped: ${reason}. ${kept}.`,
      cause,
    });
  }
}

/** The progress of a move to the configured embedder. */
export interface UnfinishedMove {
  readonly done: number;
  readonly total: number;
}

/** Options of `openEmbedder` and settings that open an embedder by name. */
export interface EmbedderSetting {
  readonly name: string;
  /** Omitted if it is the embedder's default. */
  readonly dimension?: number;
}

/** Details for the advice of an EmbeddingMismatchError. */
export interface EmbeddingMismatchOptions {
  /** An unfinished move to the configured embedder; null or omitted if there is none. */
  readonly move?: UnfinishedMove | null;
  /** The setting that opens the memory's embedder; null if that embedder is not from this package. */
  readonly madeWith?: EmbedderSetting | null;
  /** Advice for users who do not program. Default: advice for programmers. */
  readonly advice?: string;
}

/** The memory's vectors come from another embedder than the engine's. */
export class EmbeddingMismatchError extends MnemisError {
  static readonly code = 'embedding-mismatch';
  static override readonly isInstance = hasCode<EmbeddingMismatchError>(EmbeddingMismatchError.code);
  /** The memory's embedder and its dimension, as `name@dimension`. */
  readonly found: string;
  /** The engine's, in the same form. */
  readonly wanted: string;
  readonly move: UnfinishedMove | null;
  readonly madeWith: EmbedderSetting | null;

  constructor(found: string, wanted: string, options: EmbeddingMismatchOptions = {}) {
    const { move = null, madeWith = null, advice = adviceFor(madeWith) } = options;
    const begun =
      move === null
        ? ''
        : ` (a move was started: ${move.done} of ${move.total} texts are moved; it resumes there)`;
    super({
      code: EmbeddingMismatchError.code,
      message: `The memory was embedded with ${found}, the engine is set to ${wanted}; nothing was changed. ${advice}${begun}`,
    });
    this.found = found;
    this.wanted = wanted;
    this.move = move;
    this.madeWith = madeWith;
  }
}

function adviceFor(madeWith: EmbedderSetting | null): string {
  return `Open it with ${describeEmbedder(madeWith)}, or with whenEmbedderDiffers: 'words-only' and move it with engine.reembed(); on the command line: mnemis reembed`;
}

function describeEmbedder(madeWith: EmbedderSetting | null): string {
  if (madeWith === null) return 'the embedder that it was made with';
  const { name, dimension } = madeWith;
  return `openEmbedder({ name: '${name}'${dimension === undefined ? '' : `, dimension: ${dimension}`} })`;
}

/** The memory is a copy that was not completed: it lacks rows of its source. */
export class UnfinishedCopyError extends MnemisError {
  static readonly code = 'unfinished-copy';
  static override readonly isInstance = hasCode<UnfinishedCopyError>(UnfinishedCopyError.code);

  constructor(path: string) {
    super({
      code: UnfinishedCopyError.code,
      message: `${path} is an unfinished copy of another memory; nothing was changed. Complete it by the same "mnemis copy FROM TO" as before, or delete it and copy again.`,
    });
  }
}

/** A copy of a memory that could not be completed. */
export class CopyStoppedError extends MnemisError {
  static readonly code = 'copy-stopped';
  static override readonly isInstance = hasCode<CopyStoppedError>(CopyStoppedError.code);

  constructor(reason: string, advice: string, cause?: unknown) {
    super({
      code: CopyStoppedError.code,
      message: `The copy stopped: ${reason}. What was copied is kept, and the source is unchanged. ${advice}.`,
      cause,
    });
  }
}

/** In how many rows or relationships of one kind a copy differs from its source. */
export interface CopyDifference {
  readonly scope: string;
  /** A kind of row, such as `episode`, or of relationship, such as `NEXT`. */
  readonly kind: string;
  /** In the source only. */
  readonly missing: number;
  /** In the copy only. */
  readonly extra: number;
  /** In both, with different values. */
  readonly different: number;
}

/** A copy of a memory was read again and does not equal its source. */
export class CopyDiffersError extends MnemisError {
  static readonly code = 'copy-differs';
  static override readonly isInstance = hasCode<CopyDiffersError>(CopyDiffersError.code);

  readonly differences: readonly CopyDifference[];

  constructor(path: string, differences: readonly CopyDifference[]) {
    const shown = differences.slice(0, MOST_SHOWN).map(describeDifference);
    const more = differences.length > MOST_SHOWN ? `; and ${differences.length - MOST_SHOWN} more` : '';
    super({
      code: CopyDiffersError.code,
      message: `The copy at ${path} does not equal its source: ${shown.join('; ')}${more}. The source is unchanged, and the copy stays marked as unfinished. Check the source with "mnemis verify", delete the copy and copy again.`,
    });
    this.differences = differences;
  }
}

const MOST_SHOWN = 5;

/** A difference in words, such as `scope "a", episode: 2 missing, 1 different`. */
export function describeDifference({ scope, kind, ...counts }: CopyDifference): string {
  const found = (['missing', 'extra', 'different'] as const).filter((what) => counts[what] > 0);
  return `scope ${JSON.stringify(scope)}, ${kind}: ${found.map((what) => `${counts[what]} ${what}`).join(', ')}`;
}
