import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { unreadable } from '../unreadable.ts';
import { diskFile } from './disk-file.ts';
import type { ImportFiles } from './import-file.ts';
import { listFolder } from './list-folder.ts';
import { openZip } from './open-zip.ts';

/**
 * Opens what a path stands for. Of a folder and an archive only files whose names `wanted` takes are looked at.
 *
 * Throws FileUnreadableError.
 */
export async function openFiles(path: string, wanted: (name: string) => boolean): Promise<ImportFiles> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  if (status.isDirectory()) return listFolder(path, wanted);
  if (status.isFile() && (await isZip(path))) return openZip(path, wanted);
  const file = diskFile(path, {
    name: basename(path),
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
