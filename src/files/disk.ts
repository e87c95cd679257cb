import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { CancelledError, DiskFullError, NotEnoughRoomError, StoreWriteError } from '../errors/index.ts';
import { filesIn } from '../util/files.ts';

const CHUNK = 2 ** 20;

interface FileHash {
  readonly bytes: number;
  readonly sha256: string;
}

/** @throws CancelledError, or the system's error. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Disk space that must stay free. */
const SPARE_BYTES = 2 ** 20;

/** Whether a file or folder exists at the path. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Size of all files that exist. */
export async function bytesOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await stat(path).catch(() => null))?.size ?? 0;
  return bytes;
}

export async function bytesIn(folder: string): Promise<number> {
  return bytesOf((await filesIn(folder)).map((name) => join(folder, name)));
}

/** @throws NotEnoughRoomError */
export async function checkFolderRoom(work: string, folder: string, bytes: number): Promise<void> {
  const [neededBytes, freeBytes] = [bytes + SPARE_BYTES, await freeBytesIn(folder)];
  if (freeBytes < neededBytes) throw new NotEnoughRoomError(work, { neededBytes, freeBytes });
}

export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Makes renames in the folder durable. Does nothing on Windows, which cannot open a folder and does not need it. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | null = null;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // A failure is ignored: the files are safe; after a power cut the folder may show the old names.
  } finally {
    await folder?.close();
  }
}

/** A failed write of files as its caller sees it. @param kept What a cancelled work leaves as it was. */
export function asWriteError(
  error: unknown,
  path: string,
  { signal, kept }: { readonly signal: AbortSignal | undefined; readonly kept: string },
): unknown {
  if (signal?.aborted) return new CancelledError(kept, error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return new DiskFullError(path, error);
  if (/^E[A-Z]+$/.test(code ?? ''))
    return new StoreWriteError(`${path} could not be written: ${code}`, error);
  return error;
}
