import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { CancelledError, StoreWriteError } from '../errors/index.ts';

const COPY_CHUNK_BYTES = 4 * 2 ** 20;

interface CopyWholeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Number of bytes to copy from the start. Default: all. */
  readonly bytes?: number | undefined;
}

/**
 * Copies a file durably, readable by its owner only, and replaces an existing target. Where the file system supports
 * it, the copy shares the blocks of the original.
 *
 * @throws CancelledError, StoreWriteError when the original is shorter than expected, or the system's error.
 */
export async function copyWhole(from: string, to: string, options: CopyWholeOptions = {}): Promise<void> {
  refuseIfAborted(options.signal);
  await rm(to, { force: true });
  if (options.bytes === undefined && (await shareBlocks(from, to))) return;
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      await copyBytes(source, target, options);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function shareBlocks(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await rm(to, { force: true });
    return false;
  }
  const file = await open(to, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
    return true;
  } finally {
    await file.close();
  }
}

async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  { signal, bytes = Number.POSITIVE_INFINITY }: CopyWholeOptions,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(COPY_CHUNK_BYTES);
  let at = 0;
  while (at < bytes) {
    refuseIfAborted(signal);
    const { bytesRead } = await source.read(buffer, 0, Math.min(COPY_CHUNK_BYTES, bytes - at), at);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead; )
      written += (await target.write(buffer, written, bytesRead - written)).bytesWritten;
    at += bytesRead;
  }
  if (Number.isFinite(bytes) && at < bytes)
    throw new StoreWriteError('a file became shorter while it was copied');
}

function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
}
