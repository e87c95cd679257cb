import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  CancelledError,
  DiskFullError,
  FileUnreadableError,
  InvalidInputError,
  StoreWriteError,
} from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { DatabaseLock } from '../../store/database-lock.ts';
import { makeFolder } from '../../util/files.ts';
import type { CheckReport } from './check-report.ts';
import { type BackupManifest, checkFolderRoom, exists, readManifest, syncFolder } from './manifest.ts';
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

/** Whether the path is a folder that `backup` wrote, as opposed to an export. */
export function isBackup(path: string): Promise<boolean> {
  return exists(join(path, 'manifest.json'));
}

/**
 * Restores a memory from a backup. The backup is verified, copied beside the target, opened and checked there, and
 * only then moved to the target.
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
  const [source, target] = [resolve(folder), resolve(path)];
  const manifest = await readManifest(source);
  if (!replace && (await isMemory(target)))
    throw new InvalidInputError(
      `A memory already exists at ${target}; name another path, or set the option replace`,
    );
  await makeFolder(dirname(target));
  const lock = await DatabaseLock.acquire(target);
  const draft = `${target}.restoring`;
  try {
    await removeMemory(draft);
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    await checkFolderRoom('Restoring the backup', dirname(target), bytes);
    const report = await makeDraft({ source, draft, manifest, signal });
    await exchange(draft, target);
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
    await removeMemory(draft).catch(() => undefined);
    throw asRestoreError(error, target, signal);
  } finally {
    await lock.release();
  }
}

interface DraftContext {
  readonly source: string;
  readonly draft: string;
  readonly manifest: BackupManifest;
  readonly signal: AbortSignal | undefined;
}

async function makeDraft({ source, draft, manifest, signal }: DraftContext): Promise<CheckReport> {
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

/** The database file, and the files beside it that belong to it. */
const BESIDE = ['', '.wal', '.shadow', '.seal', '.before', '.before.wal', '.indexes'] as const;

/**
 * Removes the old files first and moves the new database file last, so that no step leaves a file beside the log of
 * another. After a kill in between, run it again: the backup still exists.
 */
async function exchange(draft: string, target: string): Promise<void> {
  await removeMemory(target);
  for (const ending of BESIDE.toReversed())
    if (await exists(`${draft}${ending}`)) await rename(`${draft}${ending}`, `${target}${ending}`);
  await chmod(target, 0o600);
  await syncFolder(dirname(target));
}

async function isMemory(path: string): Promise<boolean> {
  return (await exists(path)) || (await exists(`${path}.wal`));
}

/** Keeps the lock file. */
async function removeMemory(path: string): Promise<void> {
  for (const ending of BESIDE) await rm(`${path}${ending}`, { recursive: true, force: true });
  for (const name of await readdir(dirname(path)).catch(() => []))
    if (name.startsWith(`${basename(path)}.compacting`)) await rm(join(dirname(path), name), { force: true });
}

function asRestoreError(error: unknown, path: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new CancelledError('the existing memory is unchanged', error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new DiskFullError(path, error);
  if (/^E[A-Z]+$/.test(code ?? ''))
    return new StoreWriteError(`${path} could not be written: ${code}`, error);
  return error;
}
