import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  CancelledError,
  DatabaseLockedError,
  FileUnreadableError,
  InvalidInputError,
} from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { givenPath } from '../../store/given-path.ts';
import { isMemoryAt, lockFile, realPath } from '../../store/memory-file.ts';
import {
  beginSwap,
  confirmSwap,
  continueSwap,
  draftPath,
  dropDraft,
  forgetSwap,
  isSwapPending,
  swapState,
  undoSwap,
} from '../../store/swap-files.ts';
import { isDatabaseUrl } from '../../util/database-url.ts';
import { makeFolder } from '../../util/files.ts';
import { asWriteError, checkFolderRoom, exists } from '../disk.ts';
import { openStoreAt } from '../open-store.ts';
import type { CheckReport } from './check-report.ts';
import { compareDraft, type PresentMemory, type StagedScope, TombstoneCarrier } from './compare-draft.ts';
import { type BackupManifest, readManifest } from './manifest.ts';
import { checkCopy, checkFiles, copyBackup } from './verify.ts';

export interface RestoreBackupOptions extends CallOptions {
  /** Whether to replace an existing memory. Default false. */
  readonly replace?: boolean;
}

export interface RestoredBackup {
  readonly path: string;
  readonly createdAt: string;
  readonly scopes: number;
  readonly rows: number;
  readonly relationships: number;
}

const UNCHANGED = 'the existing memory is unchanged';

/** Whether the path is a folder that `backup` wrote, as opposed to an export. */
export function isBackup(path: string): Promise<boolean> {
  return exists(join(path, 'manifest.json'));
}

/**
 * Restores a memory from a backup. The backup is verified, copied beside the target, opened and checked there, and
 * only then moved to the target. A kill leaves the old memory or the new one: the next opening completes a swap that
 * was begun.
 *
 * @throws InvalidInputError if a memory exists and `replace` is not set, DatabaseLockedError if it is in use,
 *   FileUnreadableError for a damaged backup, NotEnoughRoomError, CancelledError, DiskFullError, StoreWriteError: the
 *   existing memory is unchanged.
 */
export async function restoreBackup(
  folder: string,
  path: string,
  { replace = false, signal }: RestoreBackupOptions = {},
): Promise<RestoredBackup> {
  if (isDatabaseUrl(path))
    throw new InvalidInputError(
      'A backup can only be restored to a file: restore it to a new path, then copy that to the empty database with "mnemis copy"',
    );
  const source = givenPath(folder);
  const manifest = await readManifest(source);
  await makeFolder(dirname(givenPath(path)));
  const target = realPath(givenPath(path));
  await completePending(target);
  const lock = await lockFile(target);
  let isSwapping = false;
  try {
    if (continueSwap(target)) undoSwap(target); // its files could not be opened
    if (!replace && isMemoryAt(target))
      throw new InvalidInputError(
        `A memory already exists at ${target}; name another path, or set the option replace`,
      );
    const report = await makeDraft({ source, target, manifest, signal });
    const id = randomUUID();
    isSwapping = true; // from here on, only the next step or the next opening may touch the draft
    beginSwap(target, id);
    settleSwap(target);
    forgetSwap(target, id);
    await chmod(target, 0o600);
    const sum = (of: 'rows' | 'relationships') =>
      report.scopes.reduce((total, scope) => total + scope[of], 0);
    return {
      path: target,
      createdAt: manifest.createdAt,
      scopes: report.scopes.length,
      rows: sum('rows'),
      relationships: sum('relationships'),
    };
  } catch (error) {
    if (!isSwapping) dropDraft(target);
    throw asWriteError(error, target, { signal, kept: UNCHANGED });
  } finally {
    await lock.release();
  }
}

/**
 * Completes a swap that was interrupted, by opening its files: nobody has read them in place yet. What fails here is
 * handled under the lock, because a memory that cannot be opened may be replaced.
 */
async function completePending(target: string): Promise<void> {
  if (!isSwapPending(target)) return;
  try {
    await (await openStoreAt(target)).close();
  } catch (error) {
    if (DatabaseLockedError.isInstance(error)) throw error;
  }
}

/** The draft was opened and checked already, so the swap is complete once its files are in place. */
function settleSwap(target: string): void {
  if (continueSwap(target)) confirmSwap(target);
}

/** Where a backup is to be restored. */
export interface StageOptions extends CallOptions {
  readonly memory: PresentMemory;
  /** Told before each step. */
  readonly onStep?: (step: StageStep) => void;
}

export type StageStep = 'copying' | 'comparing';

/** A backup that was verified and copied beside a memory. */
export interface StagedBackup {
  readonly createdAt: string;
  readonly databaseId: string;
  readonly fingerprint: BackupManifest['fingerprint'];
  readonly scopes: readonly StagedScope[];
}

/**
 * Verifies a backup, copies it beside a memory that is in use, opens the copy, and compares its turns with those of the
 * memory, which is unchanged. `replaceByStaged` has the copy replace the memory; `dropStaged` removes it.
 *
 * @param path The memory's file, which the caller has open.
 * @throws FileUnreadableError for a damaged backup, NotEnoughRoomError, CancelledError, DiskFullError, StoreWriteError:
 *   the copy is removed.
 */
export async function stageBackup(
  folder: string,
  path: string,
  { memory, onStep, signal }: StageOptions,
): Promise<StagedBackup> {
  const source = givenPath(folder);
  const manifest = await readManifest(source);
  const { createdAt, databaseId, fingerprint } = manifest;
  try {
    onStep?.('copying');
    await makeDraft({ source, target: path, manifest, signal });
    onStep?.('comparing');
    const scopes = await compareDraft(draftPath(path), memory, signal);
    return { createdAt, databaseId, fingerprint, scopes };
  } catch (error) {
    dropDraft(path);
    throw asWriteError(error, path, { signal, kept: UNCHANGED });
  }
}

/** Carries the memory's tombstones over to its staged backup. */
export const carrierTo = (
  path: string,
  options: ConstructorParameters<typeof TombstoneCarrier>[1],
): TombstoneCarrier => new TombstoneCarrier(draftPath(path), options);

/** Has a staged backup replace the memory when that is opened next. @param id Names the restore for `restoreState`. */
export const replaceByStaged = (path: string, id: string): void => beginSwap(path, id);

export const dropStaged = (path: string): void => dropDraft(path);

/** What became of `replaceByStaged`; null if it was not called with this id. */
export const restoreState = (path: string, id: string): ReturnType<typeof swapState> => swapState(path, id);

/** Forgets what `restoreState` tells. */
export const endRestore = (path: string, id: string): void => forgetSwap(path, id);

interface DraftParts {
  readonly source: string;
  readonly target: string;
  readonly manifest: BackupManifest;
  readonly signal: AbortSignal | undefined;
}

async function makeDraft({ source, target, manifest, signal }: DraftParts): Promise<CheckReport> {
  dropDraft(target);
  const draft = draftPath(target);
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  await checkFolderRoom('Restoring the backup', dirname(target), bytes);
  const damaged = await checkFiles(source, manifest, signal);
  if (damaged.length === 0) await copyBackup(source, draft, { manifest, signal });
  const report =
    damaged.length === 0
      ? await checkCopy(draft, manifest, signal)
      : { sound: false, findings: damaged, scopes: [] };
  const [first] = report.findings;
  if (first !== undefined)
    throw new FileUnreadableError(
      source,
      `${first.what}${report.findings.length > 1 ? `, and ${report.findings.length - 1} more` : ''}`,
    );
  if (signal?.aborted) throw new CancelledError('', signal.reason);
  return report;
}
