import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { CancelledError } from '../../errors/cancelled-error.ts';
import { StoreWriteError } from '../../errors/store-write-error.ts';

const CHUNK = 4 * 2 ** 20;

export interface CopyWholeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Copy only so many bytes from the start. */
  readonly bytes?: number | undefined;
}

/**
 * Copies a file durably, readable by its owner only, in place of one that is there. Where the file system can, the
 * copy shares the blocks of the original.
 *
 * @throws CancelledError, StoreWriteError when the original is shorter than it should be, or the system's error.
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
  const buffer = Buffer.allocUnsafe(CHUNK);
  let at = 0;
  while (at < bytes) {
    refuseIfAborted(signal);
    const { bytesRead } = await source.read(buffer, 0, Math.min(CHUNK, bytes - at), at);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead; )
      written += (await target.write(buffer, written, bytesRead - written)).bytesWritten;
    at += bytesRead;
  }
  if (Number.isFinite(bytes) && at < bytes)
    throw new StoreWriteError('a file became shorter while it was copied');
}

function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('the memory is as it was', signal.reason);
}
