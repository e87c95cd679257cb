import { type FileHandle, lstat, open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { NotEnoughRoomError } from '../../errors/index.ts';

/** Room on the disk that stays free. */
const SPARE_BYTES = 2 ** 20;

/** Whether anything goes by this name. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** 0 for a file that is not there. */
export async function bytesOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

/** Names of the files in a folder; none for one that is not there. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}

export async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await filesIn(folder)) bytes += await bytesOf(join(folder, name));
  return bytes;
}

/** @throws NotEnoughRoomError */
export async function checkFolderRoom(work: string, folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [neededBytes, freeBytes] = [bytes + SPARE_BYTES, bavail * bsize];
  if (freeBytes < neededBytes) throw new NotEnoughRoomError(work, { neededBytes, freeBytes });
}

/** Makes what was renamed in it durable. Windows cannot open a folder and needs no such thing. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | null = null;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // The files themselves are safe; after a power cut the folder may show the names of before.
  } finally {
    await folder?.close();
  }
}
