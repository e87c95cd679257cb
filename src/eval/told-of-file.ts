import { DiskFullError, StoreWriteError } from '../errors/index.ts';

/** Writes a file of results; what the file system refuses becomes an error that names the file. @throws DiskFullError, StoreWriteError */
export async function toldOfFile<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EFBIG') throw new DiskFullError(file, cause);
    if (code?.startsWith('E')) throw new StoreWriteError(`${file} could not be written: ${code}`, cause);
    throw cause;
  }
}
