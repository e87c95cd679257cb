import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { BundledFileError } from '../errors/index.ts';
import { packageFile } from '../util/files.ts';

/**
 * A file that ships with the package, by its path from the package's folder, or any other by an absolute path.
 *
 * @throws BundledFileError when it is not there or cannot be read.
 */
export async function readBundledFile(file: string): Promise<{ path: string; bytes: Buffer }> {
  const path = isAbsolute(file) ? file : packageFile(file);
  if (path === null) throw new BundledFileError(file, 'is missing');
  try {
    return { path, bytes: await readFile(path) };
  } catch (cause) {
    throw new BundledFileError(path, 'cannot be read', cause);
  }
}
