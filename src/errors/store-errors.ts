import { defineError } from './mnemis-error.ts';

/** The database rejected a read. */
export class StoreReadError extends defineError('store-read', (reason: string, cause?: unknown) => ({
  message: `The memory could not be read (${reason}); nothing was changed. Run mnemis doctor to check the memory.`,
  cause,
})) {}

/** The database rejected a write and rolled it back. */
export class StoreWriteError extends defineError('store-write', (reason: string, cause?: unknown) => ({
  message: `Nothing of this write was stored (${reason}); everything acknowledged before is kept. Remove the cause and try again.`,
  cause,
})) {}

/** The engine or its store was used after `close()`. */
export class StoreClosedError extends defineError('store-closed', () => ({
  message: 'The memory is closed; everything acknowledged before is stored. Open it again to go on.',
})) {}

/** The file is not a complete Mnemis database. */
export class DatabaseCorruptError extends defineError(
  'database-corrupt',
  (path: string, finding: string, cause?: unknown) => ({
    message: `${path} cannot be opened as a memory: ${finding}. It was not changed; restore a backup or choose another file.`,
    cause,
  }),
) {}

/** The file is a memory of Kùzu, whose module this program cannot load: on Windows it asks for `node.exe`. */
export class StoreUnsupportedError extends defineError(
  'store-unsupported',
  (path: string, program: string) => ({
    message: `${path} is a Kùzu file, which only Node.js itself can open on Windows, and this is ${program}; the file was not changed. Copy it once in a terminal: npx mnemis copy "${path}" "${path}.sqlite"; then choose the copy.`,
    path,
  }),
) {}

interface LockedDetails {
  readonly cause?: unknown;
  /** Milliseconds. */
  readonly waited?: number;
  readonly advice?: string;
}

/** Another process, or another thread of this process, has the database open. */
export class DatabaseLockedError extends defineError(
  'database-locked',
  (path: string, holder: string, { cause, waited = 0, advice }: LockedDetails = {}) => ({
    message: `${path} is open elsewhere (${holder})${waited > 0 ? `, still after ${Math.round(waited / 100) / 10} s` : ''}; nothing was changed. ${advice ?? 'Close it there, or choose another file'}.`,
    cause,
    path,

    /** Who has it open, for messages: "the process with pid 12". */
    holder,
  }),
) {}

/**
 * Another process committed to the scope first, or holds it for a longer piece of work. The engine reads what was
 * committed and tries again; a caller sees this only if that failed repeatedly.
 */
export class CommitConflictError extends defineError('commit-conflict', () => ({
  message:
    'Another process wrote to the same scope at the same time; nothing of this write was stored. Try again.',
})) {}

/** A newer Mnemis wrote the file. */
export class SchemaTooNewError extends defineError(
  'schema-too-new',
  (path: string, found: number, known: number) => ({
    message: `${path} has schema version ${found}, this version of Mnemis knows ${known}; nothing was changed. Update mnemis to open it.`,
  }),
) {}

/** The disk was full during a write. */
export class DiskFullError extends defineError(
  'disk-full',
  (
    path: string,
    cause?: unknown,
    kept = 'nothing of this write was stored, everything acknowledged before is kept',
  ) => ({
    message: `There is no room left to write ${path}; ${kept}. Free some space and try again.`,
    cause,
  }),
) {}

/** No lock file can be created beside a database, which even reading needs. */
export class FolderNotWritableError extends defineError(
  'folder-not-writable',
  (folder: string, reason: string, cause?: unknown) => ({
    message: `The folder ${folder} is not writable (${reason}); nothing was changed. Even reading a memory creates a lock file beside it: grant write access to it, or copy the memory to a folder that you own.`,
    cause,
  }),
) {}

/** Work that was not started because it would fill the disk. */
export class NotEnoughRoomError extends defineError(
  'not-enough-room',
  (work: string, { neededBytes, freeBytes }: { neededBytes: number; freeBytes: number }) => ({
    message: `${work} needs about ${megabytes(neededBytes)} of free disk space, ${megabytes(freeBytes)} are free; nothing was changed. Free some space and try again.`,
  }),
) {}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/**
 * A forgetting stopped after its first step. It is recorded and completed at the next use; until then the rest is
 * hidden.
 */
export class ForgettingStoppedError extends defineError(
  'forgetting-stopped',
  (done: number, total: number, cause?: unknown) => ({
    message: `Forgetting stopped: ${done} of ${total} turns are removed. The rest is hidden; it is removed at the next use of the scope, or by "resume" (mnemis resume).`,
    cause,
  }),
) {}

/** The embedder that a memory was being moved to failed. */
export class ReembedStoppedError extends defineError(
  'reembed-stopped' /** @param reason What the embedder did; never a text that it was given. */,
  (reason: string, kept: string, cause?: unknown) => ({
    message: `The move to another embedder stopped: ${reason}. ${kept}.`,
    cause,
  }),
) {}

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
export class EmbeddingMismatchError extends defineError(
  'embedding-mismatch',
  (found: string, wanted: string, options: EmbeddingMismatchOptions = {}) => {
    const { move = null, madeWith = null, advice = adviceFor(madeWith) } = options;
    const begun =
      move === null
        ? ''
        : ` (a move was started: ${move.done} of ${move.total} texts are moved; it resumes there)`;
    return {
      message: `The memory was embedded with ${found}, the engine is set to ${wanted}; nothing was changed. ${advice}${begun}`,

      /** The memory's embedder and its dimension, as `name@dimension`. */
      found,

      /** The engine's, in the same form. */
      wanted,
      move,
      madeWith,
    };
  },
) {}

function adviceFor(madeWith: EmbedderSetting | null): string {
  return `Open it with ${describeEmbedder(madeWith)}, or with whenEmbedderDiffers: 'words-only' and move it with engine.reembed(); on the command line: mnemis reembed`;
}

function describeEmbedder(madeWith: EmbedderSetting | null): string {
  if (madeWith === null) return 'the embedder that it was made with';
  const { name, dimension } = madeWith;
  return `openEmbedder({ name: '${name}'${dimension === undefined ? '' : `, dimension: ${dimension}`} })`;
}

/** The memory is a copy that was not completed: it lacks rows of its source. */
export class UnfinishedCopyError extends defineError('unfinished-copy', (path: string) => ({
  message: `${path} is an unfinished copy of another memory; nothing was changed. Complete it by the same "mnemis copy FROM TO" as before, or delete it and copy again.`,
})) {}

/** A copy of a memory that could not be completed. */
export class CopyStoppedError extends defineError(
  'copy-stopped',
  (reason: string, advice: string, cause?: unknown) => ({
    message: `The copy stopped: ${reason}. What was copied is kept, and the source is unchanged. ${advice}.`,
    cause,
  }),
) {}

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
export class CopyDiffersError extends defineError(
  'copy-differs',
  (path: string, differences: readonly CopyDifference[]) => {
    const shown = differences.slice(0, MOST_SHOWN).map(describeDifference);
    const more = differences.length > MOST_SHOWN ? `; and ${differences.length - MOST_SHOWN} more` : '';
    return {
      message: `The copy at ${path} does not equal its source: ${shown.join('; ')}${more}. The source is unchanged, and the copy stays marked as unfinished. Check the source with "mnemis verify", delete the copy and copy again.`,
      differences,
    };
  },
) {}

const MOST_SHOWN = 5;

/** A difference in words, such as `scope "a", episode: 2 missing, 1 different`. */
export function describeDifference({ scope, kind, ...counts }: CopyDifference): string {
  const found = (['missing', 'extra', 'different'] as const).filter((what) => counts[what] > 0);
  return `scope ${JSON.stringify(scope)}, ${kind}: ${found.map((what) => `${counts[what]} ${what}`).join(', ')}`;
}
