import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scopesStillForgetting } from '../../edit/forget/records.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { copyWhole } from '../../store/copy-file.ts';
import { DatabaseLock } from '../../store/database-lock.ts';
import { givenPath } from '../../store/given-path.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import type { FilesCopy, ScopeMark } from '../../store/store-files.ts';
import { filesIn, makeFolder } from '../../util/files.ts';
import { copyMemory } from '../copy/copy-memory.ts';
import { asWriteError, bytesIn, bytesOf, checkFolderRoom, exists, hashFile, syncFolder } from '../disk.ts';
import { openFile } from '../open-store.ts';
import type { OpenedMemory } from './check-memory.ts';
import { type BackupFile, DATABASE_NAME, isBackupName, snapshotName, writeManifest } from './manifest.ts';

interface BackedUpMemory extends OpenedMemory {
  /** For a memory on a database server. */
  readonly shared?: SharedStore | undefined;
  readonly clock: () => Milliseconds;
}

/** The result of `Mnemis.backup`. */
export interface BackupSummary {
  /** Absolute path. The folder appears only when the backup is complete. */
  readonly folder: string;
  /** Number of files listed in the manifest, which itself is not counted. */
  readonly files: number;
  /** Total size of these files. */
  readonly bytes: number;
  readonly scopes: number;
  /** Scopes with an unfinished forgetting; opening the copy completes it. */
  readonly unfinishedForgetting: readonly string[];
  /** How long writers had to wait. */
  readonly heldMilliseconds: number;
}

/**
 * Copies a memory that is in use into a new folder: the database, its log, the index snapshots, and a manifest with
 * all checksums. The folder appears only when it is complete, and contains exactly the commits of one moment. A memory on
 * a database server is copied into a SQLite file, each scope with the commits of one moment.
 *
 * @throws InvalidInputError if the folder exists or the memory is not on disk, NotEnoughRoomError, CancelledError,
 *   DiskFullError, StoreWriteError: the incomplete folder is deleted.
 */
export async function backup(
  context: BackedUpMemory,
  target: string,
  { signal }: CallOptions = {},
): Promise<BackupSummary> {
  const copy = copierOf(context);
  const folder = givenPath(target);
  if (await exists(folder)) throw new InvalidInputError(`${folder} already exists; name a new folder`);
  await makeFolder(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(`The folder ${dirname(folder)} cannot be created (${error.code})`, error);
  });
  const lock = await DatabaseLock.acquire(folder);
  const part = `${folder}.part`;
  try {
    await rm(part, { recursive: true, force: true }); // left by a killed process: this one holds the lock
    await checkFolderRoom('A backup', dirname(folder), await bytesNeeded(context));
    const summary = await fill(part, { ...context, copy, signal });
    await rename(part, folder);
    await syncFolder(dirname(folder));
    return { folder, ...summary };
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => undefined);
    throw asWriteError(error, folder, { signal, kept: 'no backup was written' });
  } finally {
    await lock.release();
  }
}

/** Of a memory on a server it is not known before. */
async function bytesNeeded({ store, snapshotFolder }: BackedUpMemory): Promise<number> {
  const snapshots = snapshotFolder === null ? 0 : await bytesIn(snapshotFolder);
  return (await bytesOf(store.files()?.paths() ?? [])) + snapshots;
}

type Copier = (path: string, options: { readonly signal: AbortSignal | undefined }) => Promise<FilesCopy>;

/** @throws InvalidInputError for a memory that is nowhere but in this process. */
function copierOf({ store, shared }: BackedUpMemory): Copier {
  const files = store.files();
  if (files !== null) return (path, options) => files.copy(path, options);
  if (store.sharing() === null) throw new InvalidInputError('An in-memory store cannot be backed up');
  return (path, options) => copyToFile(shared?.whole ?? store, path, options);
}

interface BackupWork extends BackedUpMemory {
  readonly copy: Copier;
  readonly signal: AbortSignal | undefined;
}

async function fill(part: string, context: BackupWork): Promise<Omit<BackupSummary, 'folder'>> {
  const { store, clock, signal } = context;
  await mkdir(part, { mode: 0o700 });
  const copy = await context.copy(join(part, DATABASE_NAME), { signal });
  const names = copy.files.map((path) => path.slice(part.length + 1));
  names.push(...(await copySnapshots(part, context)));
  const listed: BackupFile[] = [];
  for (const name of names) listed.push({ name, ...(await hashFile(join(part, name), signal)) });
  const { schemaVersion, fingerprint } = store.describe();
  const { databaseId, scopes, heldMilliseconds } = copy;
  const createdAt = new Date(clock()).toISOString();
  await writeManifest(part, {
    createdAt,
    databaseId,
    schemaVersion,
    fingerprint,
    scopes: [...scopes],
    files: listed,
  });
  await syncFolder(part);
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  const unfinishedForgetting = await scopesStillForgetting(store);
  return { files: listed.length, bytes, scopes: scopes.length, unfinishedForgetting, heldMilliseconds };
}

/** Copies the snapshots as they are: each is complete, and one of another commit is rebuilt when the copy is opened. */
async function copySnapshots(part: string, { snapshotFolder, signal }: BackupWork): Promise<string[]> {
  const names: string[] = [];
  if (snapshotFolder === null) return names;
  for (const file of await filesIn(snapshotFolder)) {
    const name = snapshotName(file);
    if (!isBackupName(name)) continue; // left by an interrupted write
    if (names.length === 0) await mkdir(dirname(join(part, name)), { mode: 0o700 });
    try {
      await copyWhole(join(snapshotFolder, file), join(part, name), { signal });
      names.push(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // removed meanwhile
    }
  }
  return names;
}

/**
 * Copies a memory on a database server into a new SQLite file and compares every row. Writers do not wait; a scope that
 * they change meanwhile is copied again.
 *
 * @throws as `copyMemory`; CopyStoppedError if writers change a scope in each of several rounds.
 */
async function copyToFile(
  from: GraphStore,
  path: string,
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<FilesCopy> {
  const to = await openFile('sqlite', path);
  try {
    for await (const _ of copyMemory({ from, to, signal })) signal?.throwIfAborted();
    const { databaseId } = to.describe();
    const scopes: ScopeMark[] = [];
    for (const scope of await to.scopes()) scopes.push({ scope, ...(await to.state(scope)) });
    return { files: [path], databaseId, scopes, heldMilliseconds: 0 };
  } finally {
    await to.close();
  }
}
