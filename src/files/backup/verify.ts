import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CancelledError, FileUnreadableError, MnemisError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Scope } from '../../model/ids.ts';
import { copyWhole } from '../../store/copy-file.ts';
import { givenPath } from '../../store/given-path.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { checkFolderRoom, hashFile } from '../disk.ts';
import { openStoreAt } from '../open-store.ts';
import { checkMemory } from './check-memory.ts';
import { type CheckReport, type Finding, type FindingCode, finding, isSound } from './check-report.ts';
import { snapshotsOf } from './compact.ts';
import { type BackupManifest, DATABASE_NAME, readManifest } from './manifest.ts';
import { checkRepairOptions, planRepair, type RepairOptions, type RepairReport } from './repair.ts';

export interface VerifyOptions extends CallOptions {
  /** Folder for the temporary copy of the backup. Default: the system's folder for temporary files. */
  readonly workFolder?: string;
}

/**
 * Checks a memory that is not open. @throws DatabaseLockedError, DatabaseCorruptError and other errors of
 * `Mnemis.open`.
 */
export async function verifyMemory(path: string, options: CallOptions = {}): Promise<CheckReport> {
  const store = await openStoreAt(path);
  try {
    return await checkMemory({ store, snapshotFolder: snapshotsOf(store) }, options);
  } finally {
    await store.close();
  }
}

/** Plans `Mnemis.repair` of a memory that is not open. @throws as `verifyMemory`. */
export async function planRepairOf(path: string, options: RepairOptions = {}): Promise<RepairReport> {
  checkRepairOptions(options);
  const store = await openStoreAt(path);
  try {
    const { signal } = options;
    const report = await checkMemory({ store, snapshotFolder: snapshotsOf(store) }, signal ? { signal } : {});
    return planRepair(report, store, options);
  } finally {
    await store.close();
  }
}

export interface BackupReport extends CheckReport {
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Compares the files of a backup with their checksums, then opens a copy and checks it as a memory. Never changes the
 * backup.
 *
 * @throws FileUnreadableError if it is not a backup or its manifest is damaged, NotEnoughRoomError, CancelledError.
 */
export async function verifyBackup(folder: string, options: VerifyOptions = {}): Promise<BackupReport> {
  const { workFolder = tmpdir(), signal } = options;
  const source = givenPath(folder);
  const manifest = await readManifest(source);
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const summary = { createdAt: manifest.createdAt, files: manifest.files.length, bytes };
  const damaged = await checkFiles(source, manifest, signal);
  if (damaged.length > 0) return { ...summary, sound: false, findings: damaged, scopes: [] };
  await checkFolderRoom('Opening a copy of the backup', workFolder, bytes);
  const work = await mkdtemp(join(workFolder, 'mnemis-verify-'));
  try {
    await copyBackup(source, join(work, DATABASE_NAME), { manifest, signal });
    return { ...summary, ...(await checkCopy(join(work, DATABASE_NAME), manifest, signal)) };
  } catch (error) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', error);
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Reports files that are missing or differ in size or content. */
export async function checkFiles(
  folder: string,
  { files }: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (what: string) => findings.push(finding(null, { code: 'backup-file', what }));
  if (!files.some(({ name }) => name === DATABASE_NAME)) add(`the backup lists no ${DATABASE_NAME}`);
  for (const { name, bytes, sha256 } of files)
    try {
      const found = await hashFile(join(folder, name), signal);
      if (found.bytes !== bytes) add(`${name} has ${found.bytes} bytes instead of ${bytes}`);
      else if (found.sha256 !== sha256) add(`${name} was changed: its checksum differs`);
    } catch (error) {
      if (signal?.aborted) throw error;
      const { code } = error as NodeJS.ErrnoException;
      add(code === 'ENOENT' ? `${name} is missing` : `${name} cannot be read: ${code ?? 'unknown'}`);
    }
  return findings;
}

/** Copies the files of a backup to a path, which names the database file. */
export async function copyBackup(
  folder: string,
  path: string,
  { manifest, signal }: { readonly manifest: BackupManifest; readonly signal: AbortSignal | undefined },
): Promise<void> {
  for (const { name } of manifest.files) {
    const target = `${path}${name.slice(DATABASE_NAME.length)}`;
    if (dirname(target) !== dirname(path)) await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyWhole(join(folder, name), target, { signal });
  }
}

/** Opens and checks a copy, and checks that it contains exactly the commits of the manifest. */
export async function checkCopy(
  path: string,
  manifest: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<CheckReport> {
  let store: GraphStore;
  try {
    store = await openStoreAt(path);
  } catch (error) {
    if (MnemisError.isInstance(error) && error.code !== FileUnreadableError.code)
      return {
        sound: false,
        findings: [finding(null, { code: 'backup-database', what: 'its database does not open' })],
        scopes: [],
      };
    throw error;
  }
  try {
    const report = await checkMemory({ store, snapshotFolder: `${path}.indexes` }, { signal });
    const findings = [...(await otherCommits(store, manifest)), ...report.findings];
    return { ...report, findings, sound: isSound(findings) };
  } finally {
    await store.close();
  }
}

async function otherCommits(store: GraphStore, manifest: BackupManifest): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (scope: Scope | null, code: FindingCode, what: string) =>
    findings.push(finding(scope, { code, what }));
  if (store.describe().databaseId !== manifest.databaseId)
    add(null, 'backup-database', 'it is not the database that the manifest describes');
  const named = new Map(manifest.scopes.map((state) => [state.scope, state]));
  for (const scope of await store.scopes()) {
    const { sequence, token } = await store.state(scope);
    const wanted = named.get(scope);
    if (wanted?.sequence !== sequence || wanted.token !== token)
      add(scope, 'backup-commit', 'it is not at the commit that the manifest names');
    named.delete(scope);
  }
  if (named.size > 0) add(null, 'backup-commit', `${named.size} scopes of the manifest are missing`);
  return findings;
}
