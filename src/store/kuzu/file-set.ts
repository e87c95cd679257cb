import { chmodSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Everything that lies beside a database file and belongs to it. */
export const walPath = (path: string): string => `${path}.wal`;
export const shadowPath = (path: string): string => `${path}.shadow`;
export const sealPath = (path: string): string => `${path}.seal`;

/** 0 for a file that is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Another text after every change of the file. */
export function changeStamp(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs].join(' ');
}

/**
 * Makes an empty file that only its owner can read, or narrows one that is there. Kùzu creates its log and
 * shadow file readable for everybody, anew after every checkpoint; one that exists it takes as it is.
 */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

export interface Checksum {
  readonly bytes: number;
  readonly crc: number;
}

const NOTHING: Checksum = { bytes: 0, crc: 0 };
const CHUNK = 1 << 20;

/** Extends the checksum of a file's beginning by what follows, up to `end` or its end. */
export function checksum(path: string, known: Checksum = NOTHING, end = Number.POSITIVE_INFINITY): Checksum {
  if (sizeOf(path) === 0) return NOTHING;
  const file = openSync(path, 'r');
  try {
    let { bytes, crc } = known;
    const stop = Math.min(end, fstatSync(file).size);
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, stop - bytes)));
    while (bytes < stop) {
      const read = readSync(file, buffer, 0, Math.min(buffer.length, stop - bytes), bytes);
      if (read === 0) break;
      crc = crc32(buffer.subarray(0, read), crc);
      bytes += read;
    }
    return { bytes, crc };
  } finally {
    closeSync(file);
  }
}
