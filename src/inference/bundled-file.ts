import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { BundledFileError } from '../errors/index.ts';
import { packageFile } from '../util/files.ts';

/**
 * A file that ships with the package, by its path from the package's folder, or any other by an absolute path.
 *
 * @throws BundledFileError when it is not there or cannot be read.
 */
export function readBundledFile(file: string): Promise<{ path: string; bytes: Buffer }> {
  return fromBundledFile(file, async (handle, path) => ({ path, bytes: await handle.readFile() }));
}

/**
 * The first bytes of such a file, at most `length`, and its size.
 *
 * @throws BundledFileError
 */
export function readBundledStart(
  file: string,
  length: number,
): Promise<{ path: string; bytes: Buffer; size: number }> {
  return fromBundledFile(file, async (handle, path) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
    const { size } = await handle.stat();
    return { path, bytes: buffer.subarray(0, bytesRead), size };
  });
}

async function fromBundledFile<T>(
  file: string,
  job: (handle: FileHandle, path: string) => Promise<T>,
): Promise<T> {
  const path = isAbsolute(file) ? file : packageFile(file);
  if (path === null) throw new BundledFileError(file, 'is missing');
  try {
    const handle = await open(path, 'r');
    try {
      return await job(handle, path);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new BundledFileError(path, 'cannot be read', cause);
  }
}
