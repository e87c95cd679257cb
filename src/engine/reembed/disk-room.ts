import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NotEnoughRoomError } from '../../errors/index.ts';

export interface DiskRoom {
  readonly fileBytes: number;
  readonly freeBytes: number;
}

/** Bytes of a vector's row in the file beside its numbers: ids, names, the key's index. */
const ROW_BYTES = 250;
/** Base64 of a 32-bit number. */
const NUMBER_BYTES = 16 / 3;
/** A checkpoint writes the newest rows' group once more, so that the file grows by a multiple of what comes in. */
const GROWTH = 3;
/** So much stays in the log; with more, a checkpoint copies the file, for which the store asks twice its size. */
const LOG_BYTES = 64 * 2 ** 20;
const COPIES = 2;

export async function measureRoom(path: string): Promise<DiskRoom> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(path), statfs(dirname(path))]);
  return { fileBytes: size, freeBytes: bavail * bsize };
}

/** Free space that so many new vectors need beside the old ones; nothing for none. */
export function roomNeeded(vectors: number, dimension: number, fileBytes: number): number {
  const growth = GROWTH * vectors * (dimension * NUMBER_BYTES + ROW_BYTES);
  const copies = growth < LOG_BYTES ? 0 : COPIES * (fileBytes + growth);
  return Math.ceil(growth + copies);
}

/** @throws NotEnoughRoomError */
export function checkRoom(vectors: number, dimension: number, { fileBytes, freeBytes }: DiskRoom): void {
  const neededBytes = roomNeeded(vectors, dimension, fileBytes);
  if (freeBytes < neededBytes)
    throw new NotEnoughRoomError('Moving the memory to another embedder', { neededBytes, freeBytes });
}
