import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Folder by folder: the recursive mkdir of Node.js spins for ever where nothing can be made, as in /proc. Rejects with
 * the system’s error.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(folder);
    if (code === 'ENOENT' && parent !== folder && !(await isFolder(parent))) {
      await makeFolder(parent);
      return makeFolder(folder);
    }
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
