import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { appFile, uploadsFolder } from '../store/app-store.ts';

/**
 * Bytes on this computer's disk of a memory: its database and log, indexes, the app's file and uploads; of one on a
 * database server the app's alone. 0 for one without a file.
 *
 * @param path - as `besideMemory` gives it.
 */
export async function memoryBytes(path: string): Promise<number> {
  if (path === ':memory:') return 0;
  const app = appFile(path);
  const places = [path, `${path}.wal`, `${path}.indexes`, app, `${app}-wal`, uploadsFolder(path)];
  return (await Promise.all(places.map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0);
}

/** Of a file, or of all files in a folder. What is missing, or removed meanwhile, counts as empty. */
async function bytesOf(place: string): Promise<number> {
  const found = await stat(place).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const names = await readdir(place).catch(() => []);
  const each = await Promise.all(names.map((name) => bytesOf(join(place, name))));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}
