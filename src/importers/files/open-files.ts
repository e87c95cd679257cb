import type { Dirent } from 'node:fs';
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FileUnreadableError } from '../../errors/index.ts';
import { unreadable } from '../unreadable.ts';
import { diskFile, type ImportFile, type ImportFiles, shownName } from './import-file.ts';

const MAX_FILES = 100_000;
const MAX_DEPTH = 32;

/** The wanted files below a folder, by name. Links are not followed: they may lead elsewhere or form a cycle. */
async function listFolder(path: string, wanted: (name: string) => boolean): Promise<ImportFiles> {
  const files: ImportFile[] = [];
  const refused: { name: string; reason: string }[] = [];
  const waiting: { name: string; depth: number }[] = [{ name: '', depth: 0 }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const below: typeof waiting = [];
    for (const entry of await entriesOf(path, folder.name)) {
      if (entry.name.startsWith('.')) continue;
      const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
      if (entry.isDirectory()) {
        if (folder.depth < MAX_DEPTH) below.push({ name, depth: folder.depth + 1 });
        else refused.push({ name: shownName(name), reason: `is more than ${MAX_DEPTH} folders deep` });
      } else if (wanted(name)) {
        if (entry.isFile()) files.push(await fileOf(path, name));
        else refused.push({ name: shownName(name), reason: 'is a link or not a regular file' });
      }
    }
    waiting.push(...below.reverse());
    if (files.length > MAX_FILES)
      throw new FileUnreadableError(path, `it holds more than ${MAX_FILES} files; import its parts`);
  }
  return { path, kind: 'folder', files, refused, close: async () => undefined };
}

async function entriesOf(path: string, folder: string): Promise<Dirent[]> {
  const entries = await readdir(join(path, folder), { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadable(join(path, folder), cause);
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function fileOf(path: string, name: string): Promise<ImportFile> {
  const full = join(path, name);
  const status = await lstat(full).catch((cause: unknown) => {
    throw unreadable(full, cause);
  });
  return diskFile(full, { name, bytes: status.size, modifiedAt: status.mtimeMs });
}

/**
 * Opens the files of a path. In a folder or an archive, only files whose names `wanted` accepts. A single file is called
 * `name`.
 *
 * Throws FileUnreadableError.
 */
export async function openFiles(
  path: string,
  wanted: (name: string) => boolean,
  name = basename(path),
): Promise<ImportFiles> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (status.isDirectory()) return listFolder(path, wanted);
  if (status.isFile() && (await isZip(path))) {
    const { openZip } = await import('./open-zip.ts');
    return openZip(path, wanted);
  }
  const file = diskFile(path, {
    name,
    bytes: status.isFile() ? status.size : null,
    modifiedAt: status.isFile() ? status.mtimeMs : null,
  });
  return { path, kind: 'file', files: [file], refused: [], close: async () => undefined };
}

async function isZip(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const start = buffer.subarray(0, bytesRead).toString('latin1');
    return start === 'PK\u0003\u0004' || start === 'PK\u0005\u0006';
  } catch (cause) {
    throw unreadable(path, cause);
  } finally {
    await file?.close();
  }
}
