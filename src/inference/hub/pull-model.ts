import { rm, rmdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import retry from 'p-retry';
import { CancelledError, DiskFullError, HubUnavailableError } from '../../errors/index.ts';
import { makeFolder } from '../../util/files.ts';
import { fetchFile, PARTS_FOLDER, partPath, withStallGuard } from './fetch-file.ts';
import {
  diskFailure,
  type ModelManifest,
  readManifest,
  type StoredFile,
  writeManifest,
} from './model-folder.ts';
import { checkSource, type ModelOrigin, type ModelSource, type PublishedFile } from './model-origin.ts';
import { PullLock } from './pull-lock.ts';

/** Progress of a pull. Bytes that an earlier pull fetched count as done. */
export interface PullProgress {
  /** Path in the repository. */
  readonly file: string;
  readonly fileDone: number;
  readonly fileTotal: number;
  readonly done: number;
  readonly total: number;
}

export interface PullOptions {
  readonly source: ModelSource;
  readonly origin: ModelOrigin;
  /** The folder of all models; this one’s files go into `{folder}/{name}`. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Called once if another process is fetching this model. */
  readonly onWait?: (() => void) | undefined;
  /** Called when the list or a file fails for the first time and is retried. */
  readonly onRetry?: ((error: HubUnavailableError) => void) | undefined;
  readonly timing?: Partial<PullTiming> | undefined;
}

/** Milliseconds, but for `retries`. */
export interface PullTiming {
  readonly stallAfter: number;
  readonly firstPause: number;
  /** Attempts after the first; one that fetches a mebibyte or more is not counted. */
  readonly retries: number;
  readonly staleLockAfter: number;
}

const TIMING: PullTiming = { stallAfter: 30_000, firstPause: 1_000, retries: 5, staleLockAfter: 10_000 };
/** An attempt that fetches so much is not counted as a retry. */
const WORTHWHILE_BYTES = 2 ** 20;

interface Pull extends PullOptions {
  readonly signal: AbortSignal;
  readonly timing: PullTiming;
  readonly home: string;
  readonly lock: PullLock;
}

/**
 * Fetches a model’s files: resumes parts of earlier pulls, verifies every file against the origin’s checksum,
 * moves each into place atomically, and writes the manifest last.
 *
 * @throws CancelledError, HubUnavailableError, HubRefusalError, ModelAccessError, ModelCorruptError, DiskFullError,
 *   ModelFilesError, InvalidInputError.
 */
export async function pullModel(options: PullOptions): Promise<ModelManifest> {
  const source = checkSource(options.source);
  const signal = options.signal ?? new AbortController().signal;
  const timing = { ...TIMING, ...options.timing };
  const home = join(options.folder, source.name);
  try {
    signal.throwIfAborted();
    await makeFolder(home);
    const { onWait } = options;
    const lock = await PullLock.acquire(home, { signal, onWait, stale: timing.staleLockAfter });
    try {
      await makeFolder(join(home, PARTS_FOLDER));
      return await pull({ ...options, source, signal, timing, home, lock });
    } finally {
      // Parts that remain are another variant’s, or for the next pull to resume.
      await removeIfEmpty(join(home, PARTS_FOLDER));
      await lock.release();
    }
  } catch (error) {
    await removeIfEmpty(home);
    if (signal.aborted)
      throw new CancelledError('what was fetched is kept, and the same command goes on from there', error);
    throw diskFailure(home, error);
  }
}

async function pull(options: Pull): Promise<ModelManifest> {
  const { source, origin, home } = options;
  // A damaged manifest is rebuilt: every file is verified in any case.
  const before = await readManifest(home).catch(() => null);
  const { signal, timing } = options;
  const guard = { signal, stallAfter: timing.stallAfter, what: `the list of ${source.repository}` };
  const listing = await attempts(options, () => withStallGuard(guard, (guarded) => origin.list(guarded)), {
    worthwhile: secondAttemptAtMost,
  });
  await checkSpace(listing, home);
  const files: StoredFile[] = [];
  for (const file of listing) files.push(await fetchOne(file, { ...options, listing, files }));
  const { name, repository, revision } = source;
  const same = before?.repository === repository && before.revision === revision ? before : null;
  const manifest: ModelManifest = {
    format: 'mnemis-model',
    version: 1,
    name,
    repository,
    revision,
    commit: origin.commit ?? same?.commit ?? null,
    files: [...(same?.files ?? []).filter(({ path }) => !source.files.includes(path)), ...files],
  };
  await options.lock.assertHeld();
  await writeManifest(home, manifest);
  await removeLeftovers(home, before, manifest);
  return manifest;
}

interface PullOfFile extends Pull {
  readonly listing: readonly PublishedFile[];
  readonly files: readonly StoredFile[];
}

async function fetchOne(file: PublishedFile, options: PullOfFile): Promise<StoredFile> {
  const { origin, home: folder, lock, signal, timing, onProgress } = options;
  const total = options.listing.reduce((sum, { bytes }) => sum + bytes, 0);
  const others = options.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let [reached, counted] = [0, 0];
  const report = (fileDone: number) => {
    reached = fileDone;
    const done = others + fileDone;
    onProgress?.({ file: file.path, fileDone, fileTotal: file.bytes, done, total });
  };
  const stallAfter = timing.stallAfter;
  return attempts(options, () => fetchFile(file, { origin, folder, lock, signal, stallAfter, report }), {
    gained: () => {
      const gained = reached - counted >= WORTHWHILE_BYTES;
      counted = Math.max(counted, reached);
      return gained;
    },
  });
}

interface AttemptRules {
  /** Whether the last attempt fetched so much that it is not counted. */
  readonly gained?: () => boolean;
  /** Whether to retry after this failure; the first attempt is number 1. */
  readonly worthwhile?: (error: HubUnavailableError, attemptNumber: number) => boolean;
}

/** If the hub was never reached, a second attempt is enough to distinguish a hiccup from a missing network. */
function secondAttemptAtMost({ unreachable }: HubUnavailableError, attemptNumber: number): boolean {
  return !unreachable || attemptNumber < 2;
}

async function attempts<T>(
  { signal, timing, onRetry }: Pull,
  attempt: () => Promise<T>,
  { gained = () => false, worthwhile = () => true }: AttemptRules = {},
): Promise<T> {
  return retry(attempt, {
    retries: timing.retries,
    minTimeout: timing.firstPause,
    maxTimeout: 30_000,
    randomize: true,
    signal,
    shouldRetry: ({ error, attemptNumber }) =>
      HubUnavailableError.isInstance(error) && worthwhile(error, attemptNumber),
    shouldConsumeRetry: () => !gained(),
    onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
      if (!HubUnavailableError.isInstance(error) || retriesLeft === 0 || signal.aborted) return;
      if (!worthwhile(error, attemptNumber)) return;
      if (attemptNumber === 1) onRetry?.(error);
      if (error.retryAfter > 0) await wait(error.retryAfter, undefined, { signal });
    },
  });
}

/** Runs before anything is fetched, so that a pull that cannot end does not fill the disk. */
async function checkSpace(files: readonly PublishedFile[], home: string): Promise<void> {
  const { bavail, bsize } = await statfs(home);
  let needed = 0;
  for (const file of files) {
    const sizes = await Promise.all([join(home, file.path), partPath(file, home)].map(sizeOf));
    needed += Math.max(0, file.bytes - Math.max(...sizes));
  }
  if (needed > bavail * bsize)
    throw new DiskFullError(home, undefined, `${needed} more bytes are needed, and nothing new was fetched`);
}

/** A failed pull keeps only what the next one can resume. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

/** Removes parts of an older revision and files that the new manifest does not list. */
async function removeLeftovers(
  home: string,
  before: ModelManifest | null,
  now: ModelManifest,
): Promise<void> {
  if (before !== null && before.revision !== now.revision)
    await rm(join(home, PARTS_FOLDER), { recursive: true, force: true });
  const wanted = new Set(now.files.map(({ path }) => path));
  for (const { path } of before?.files ?? [])
    if (!wanted.has(path)) await rm(join(home, path), { force: true });
}
