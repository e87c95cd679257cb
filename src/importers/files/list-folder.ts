import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileUnreadableError } from '../../errors/file-unreadable-error.ts';
import { unreadable } from '../unreadable.ts';
import { diskFile } from './disk-file.ts';
import { type ImportFile, type ImportFiles, shownName } from './import-file.ts';

const MAX_FILES = 100_000;
const MAX_DEPTH = 32;

/** The wanted files below a folder, by name. Links are not followed: they may lead anywhere, or in a circle. */
export async function listFolder(path: string, wanted: (name: string) => boolean): Promise<ImportFiles> {
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
        else refused.push({ name: shownName(name), reason: `lies more than ${MAX_DEPTH} folders deep` });
      } else if (wanted(name)) {
        if (entry.isFile()) files.push(await fileOf(path, name));
        else refused.push({ name: shownName(name), reason: 'is a link or no regular file' });
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
