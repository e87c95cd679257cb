import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DiskFullError, StoreWriteError } from '../errors/index.ts';
import type { Sections } from './sections.ts';
import { decodeSnapshot, encodeSnapshot, type SnapshotRead } from './snapshot-format.ts';

/**
 * Writes the sections under a stamp, in place of the snapshot there. Another process sees the old file or the new
 * one, never a part; the file is readable by its owner only.
 * @throws DiskFullError or StoreWriteError; the old snapshot is kept.
 */
export async function writeSnapshot(path: string, stamp: string, sections: Sections): Promise<void> {
  const temporary = join(dirname(path), `${temporaryPrefix(path)}${randomUUID()}.tmp`);
  try {
    await writeNew(temporary, encodeSnapshot(stamp, sections));
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (errorCode(cause) === 'ENOSPC') throw new DiskFullError(path, cause);
    throw new StoreWriteError(`the index snapshot could not be written: ${errorCode(cause)}`, cause);
  }
  await syncFolder(dirname(path));
}

/** The snapshot of this stamp, or why there is none. Never throws. */
export async function readSnapshot(path: string, stamp: string): Promise<SnapshotRead> {
  let file: Buffer;
  try {
    file = await readFile(path);
  } catch (error) {
    return { snapshot: null, reason: errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable' };
  }
  return decodeSnapshot(file, stamp);
}

/** Deletes the snapshot and what interrupted writes of it left behind: they hold the words of a memory. */
export async function removeSnapshot(path: string): Promise<void> {
  await rm(path, { force: true });
  const left = await readdir(dirname(path)).catch(() => []);
  for (const name of left) {
    if (name.startsWith(temporaryPrefix(path)) && name.endsWith('.tmp')) {
      await rm(join(dirname(path), name), { force: true });
    }
  }
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

async function writeNew(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const piece of pieces) await writeAll(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}

/** Makes the rename durable. Windows cannot open a folder and needs no such thing. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch {
    // The file itself is safe; at worst the old snapshot returns after a power cut, and its stamp shows it.
  }
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
}
