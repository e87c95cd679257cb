import { constants, renameSync, rmSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { readSeal, Seal, shadowPath, sizeOf, walPath } from './file-set.ts';

/**
 * Kùzu's checkpoint is not safe against a crash: from about 20,000 rows on it overwrites pages of the primary keys'
 * index in place, without its shadow file, once freed pages are reused (`disk_array.cpp` takes `page > lastPageOnDisk`
 * to mean a new page). If SIGKILL or a full disk interrupts it there, the file cannot be opened any more: "Found
 * duplicated primary key value". So the file and its log are copied before a checkpoint, and restored if the seal shows
 * that it did not finish.
 */
export const databaseCopy = (path: string): string => `${path}.before`;
export const walCopy = (path: string): string => `${path}.before.wal`;

/**
 * Nothing writes to the two files between commits. Where the file system supports it, the copies share their blocks.
 */
export async function keepCopies(path: string): Promise<void> {
  try {
    await copyDurably(walPath(path), walCopy(path));
    await copyDurably(path, databaseCopy(path));
  } catch (error) {
    dropCopies(path);
    throw error;
  }
}

export function dropCopies(path: string): void {
  rmSync(databaseCopy(path), { force: true });
  rmSync(walCopy(path), { force: true });
}

/** Called before an open and after a failed checkpoint. Safe to interrupt and repeat. */
export function undoInterruptedCheckpoint(path: string): void {
  const seal = readSeal(path);
  if (seal?.state === 'settled') dropCopies(path);
  if (seal?.state !== 'unsettled' || !restoreCopies(path)) return;
  // The seal describes the files as they were before the checkpoint, which is their restored state.
  const writer = new Seal(path);
  writer.write({ ...seal, state: 'settled' });
  writer.close();
}

function restoreCopies(path: string): boolean {
  const copies = [databaseCopy(path), walCopy(path)].filter((copy) => sizeOf(copy) > 0);
  if (copies.length > 0) rmSync(shadowPath(path), { force: true });
  if (copies.includes(databaseCopy(path))) renameSync(databaseCopy(path), path);
  if (copies.includes(walCopy(path))) renameSync(walCopy(path), walPath(path)); // last: its presence shows that a restore is unfinished
  return copies.length > 0;
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
