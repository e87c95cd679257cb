import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubUnavailableError, ModelCorruptError } from '../../errors/index.ts';
import { makeFolder } from '../../util/files.ts';
import { digestsOf, type FileDigests, fits, type StoredFile } from './model-folder.ts';
import type { ModelOrigin, PublishedFile } from './model-origin.ts';
import type { PullLock } from './pull-lock.ts';

/** Folder of partly fetched files, inside a model’s folder. */
export const PARTS_FOLDER = '.parts';

interface FetchContext {
  readonly origin: ModelOrigin;
  /** The model’s own folder. */
  readonly folder: string;
  readonly lock: PullLock;
  readonly signal: AbortSignal;
  /** Milliseconds without a byte after which a transfer counts as stalled. */
  readonly stallAfter: number;
  /** Gets the bytes of this file that are on disk. */
  readonly report: (bytes: number) => void;
}

/**
 * One attempt to fetch a file, verify it and move it into place. A failed attempt keeps its bytes in a part
 * file, which the next attempt resumes; a part with a wrong checksum is deleted.
 *
 * @throws HubUnavailableError when another attempt may help; ModelCorruptError when a fresh copy has a wrong checksum.
 */
export async function fetchFile(file: PublishedFile, context: FetchContext): Promise<StoredFile> {
  const target = join(context.folder, file.path);
  const there = await present(target, file, context);
  if (there !== null) return there;
  const part = await PartFile.open(partPath(file, context.folder));
  let fresh: boolean;
  try {
    // Without a checksum, a part of other content would go unnoticed.
    if (part.bytes > file.bytes || file.digest === null) await part.restart();
    fresh = part.bytes === 0;
    if (part.bytes < file.bytes) fresh = await fill(part, file, context);
    await part.sync();
  } finally {
    await part.close();
  }
  const digests = await check(part.path, file, { fresh, signal: context.signal });
  await context.lock.assertHeld();
  await makeFolder(dirname(target));
  await rename(part.path, target);
  return { path: file.path, bytes: file.bytes, sha256: digests.sha256 };
}

/** Named by checksum, so that each version of a file has its own part. A file without a checksum is never resumed. */
export function partPath({ path, digest }: PublishedFile, folder: string): string {
  return join(folder, PARTS_FOLDER, digest === null ? path.replaceAll('/', '!') : digest.hex);
}

async function present(
  target: string,
  { path, bytes, digest }: PublishedFile,
  { signal, report }: FetchContext,
): Promise<StoredFile | null> {
  if (digest === null) return null;
  const found = await digestsOf(target, signal);
  if (found === null || found.bytes !== bytes || !fits(found, digest)) return null;
  report(bytes);
  return { path, bytes, sha256: found.sha256 };
}

/** Returns whether the whole file came in this attempt. */
async function fill(part: PartFile, file: PublishedFile, context: FetchContext): Promise<boolean> {
  const { origin, signal, stallAfter, report } = context;
  return withStallGuard({ signal, stallAfter, what: file.path }, async (guarded, alive) => {
    const body = await origin.read(file, part.bytes, guarded);
    if (body.from !== part.bytes) await part.restart();
    if (body.from !== 0 && body.from !== part.bytes)
      throw new HubUnavailableError(`The hub sent another part of ${file.path} than requested`);
    for await (const chunk of body.chunks) {
      alive();
      await part.append(chunk);
      report(part.bytes);
      if (part.bytes > file.bytes) break;
    }
    if (part.bytes < file.bytes) throw new HubUnavailableError(`${file.path} ended early`);
    return body.from === 0;
  });
}

/** A wrong part that was assembled from two replies may be fetched again; a wrong copy from one reply is an error. */
async function check(
  path: string,
  file: PublishedFile,
  { fresh, signal }: { readonly fresh: boolean; readonly signal: AbortSignal },
): Promise<FileDigests> {
  const digests = await digestsOf(path, signal);
  if (digests !== null && digests.bytes === file.bytes && fits(digests, file.digest)) return digests;
  await rm(path, { force: true });
  if (!fresh) throw new HubUnavailableError(`The parts of ${file.path} do not match and were deleted`);
  const finding = digests?.bytes === file.bytes ? 'its checksum differs' : 'it has another size';
  throw new ModelCorruptError(file.path, finding);
}

const { O_CREAT, O_EXCL, O_RDWR } = constants;

/** A partly fetched file. It outlives the process, so that the next one can resume it. */
class PartFile {
  readonly path: string;
  #file: FileHandle;
  #bytes: number;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  static async open(path: string): Promise<PartFile> {
    const file = await open(path, O_RDWR | O_CREAT, 0o600);
    return new PartFile(path, file, (await file.stat()).size);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.length; ) {
      const written = await this.#file.write(chunk, done, chunk.length - done, this.#bytes);
      done += written.bytesWritten;
      this.#bytes += written.bytesWritten;
    }
  }

  /** Starts over in a new file: a process that lost the lock may still write to the old one. */
  async restart(): Promise<void> {
    await this.#file.close();
    await rm(this.path, { force: true });
    this.#file = await open(this.path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    this.#bytes = 0;
  }

  /** Flushes every byte to the disk. */
  async sync(): Promise<void> {
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

interface StallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds without a sign of life after which the transfer is aborted. */
  readonly stallAfter: number;
  /** What is transferred, for the error’s message. */
  readonly what: string;
}

/**
 * Runs a transfer under a signal that fires with the caller’s, or when `alive` was not called for too long.
 *
 * @throws HubUnavailableError for a stall, the caller’s reason when its signal fires.
 */
export async function withStallGuard<Result>(
  { signal, stallAfter, what }: StallOptions,
  transfer: (signal: AbortSignal, alive: () => void) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), stallAfter);
  try {
    return await transfer(AbortSignal.any([signal, controller.signal]), () => timer.refresh());
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (!controller.signal.aborted) throw cause;
    const seconds = Math.round(stallAfter / 1000);
    throw new HubUnavailableError(`Nothing of ${what} was received for ${seconds} seconds`, { cause });
  } finally {
    clearTimeout(timer);
    controller.abort(); // a body that was not read to its end releases its connection
  }
}
