import { constants, renameSync, rmSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { readSeal, Seal, shadowPath, sizeOf, walPath } from './file-set.ts';

/**
 * Kùzu's checkpoint is not safe against a crash: from about 20,000 rows on it overwrites pages of the primary
 * keys' index in place, without its shadow file, once freed pages were used again (`disk_array.cpp` takes
 * `page > lastPageOnDisk` to mean a new page). Interrupted there, by SIGKILL or a full disk, the file cannot be
 * opened any more: "Found duplicated primary key value". So the file and its log are copied before, and put back
 * when the seal says that a checkpoint did not end.
 */
export const databaseCopy = (path: string): string => `${path}.before`;
export const walCopy = (path: string): string => `${path}.before.wal`;

/** Nothing writes to the two files between commits. Where the file system can, the copies share their blocks. */
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

/** Before an open, and after a checkpoint that failed. May itself be interrupted and begun again. */
export function undoInterruptedCheckpoint(path: string): void {
  const seal = readSeal(path);
  if (seal?.state === 'settled') dropCopies(path);
  if (seal?.state !== 'unsettled' || !putBack(path)) return;
  // The seal describes the files as they were before the checkpoint, and as they are again.
  const writer = new Seal(path);
  writer.write({ ...seal, state: 'settled' });
  writer.close();
}

function putBack(path: string): boolean {
  const copies = [databaseCopy(path), walCopy(path)].filter((copy) => sizeOf(copy) > 0);
  if (copies.length > 0) rmSync(shadowPath(path), { force: true });
  if (copies.includes(databaseCopy(path))) renameSync(databaseCopy(path), path);
  if (copies.includes(walCopy(path))) renameSync(walCopy(path), walPath(path)); // last: it says what was put back
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
