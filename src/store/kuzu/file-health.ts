import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { DatabaseCorruptError } from '../../errors/database-corrupt-error.ts';
import { checksum, sizeOf, walPath } from './file-set.ts';
import { readSeal, type SealState } from './seal.ts';

const MAGIC = 'KUZU';
const PAGE = 4096;
const NO_PAGE = 0xffffffff;

/**
 * Looks at a database's files before Kùzu does, and changes none. Kùzu opens an empty file as an empty memory,
 * replays an old log into a new file, and crashes or answers nonsense on a shortened one.
 *
 * @throws DatabaseCorruptError saying what is wrong.
 */
export function checkFileHealth(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const seal = readSeal(path);
  if (stats === undefined) checkNothingLeft(path);
  else {
    checkDatabaseFile(path, stats, seal);
    checkLog(path, seal);
  }
}

function checkNothingLeft(path: string): void {
  const bytes = sizeOf(walPath(path));
  if (bytes > 0)
    corrupt(
      path,
      `the file is missing, but its log ${walPath(path)} (${bytes} bytes) is there; put the file back, or move the log away to begin anew`,
    );
}

function checkDatabaseFile(path: string, stats: Stats, seal: SealState | null): void {
  if (!stats.isFile()) corrupt(path, stats.isDirectory() ? 'it is a directory' : 'it is not a regular file');
  if (stats.size === 0 && seal?.state === 'creating') return; // the first open was killed before anything was kept
  if (stats.size === 0) corrupt(path, 'it is empty');
  const header = readHeader(path);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) corrupt(path, 'it is not a Mnemis database');
  const needed = Math.max(PAGE, pagesNeeded(header) * PAGE, sealedBytes(seal));
  if (stats.size < needed)
    corrupt(
      path,
      `it has ${stats.size} bytes where at least ${needed} are needed, so its end is missing${hint(path, seal)}`,
    );
}

/** The header names the pages of the catalogue and of the tables' metadata: start and number of each. */
function pagesNeeded(header: Buffer): number {
  const end = (at: number) => {
    const start = header.readUInt32LE(at);
    return start === NO_PAGE ? 1 : start + header.readUInt32LE(at + 4);
  };
  return header.length < 28 ? 1 : Math.max(end(12), end(20));
}

function checkLog(path: string, seal: SealState | null): void {
  if (seal === null || seal.state !== 'settled' || seal.walBytes === 0) return;
  const found = checksum(walPath(path), undefined, seal.walBytes);
  if (found.bytes < seal.walBytes)
    corrupt(
      path,
      `its log has ${found.bytes} bytes where ${seal.walBytes} hold commits that were acknowledged${hint(path, seal)}`,
    );
  if (found.crc !== seal.walCrc)
    corrupt(path, `its log is damaged among the commits that were acknowledged${hint(path, seal)}`);
}

function sealedBytes(seal: SealState | null): number {
  return seal?.state === 'settled' ? seal.databaseBytes : 0;
}

function hint(path: string, seal: SealState | null): string {
  return seal === null
    ? ''
    : ` (if you put a backup in its place, delete ${path}.seal, which describes the former file)`;
}

function readHeader(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(PAGE);
    return header.subarray(0, readSync(file, header, 0, PAGE, 0));
  } finally {
    closeSync(file);
  }
}

function corrupt(path: string, finding: string): never {
  throw new DatabaseCorruptError(path, finding);
}
