import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { DatabaseCorruptError } from '../../errors/index.ts';
import { syncFolder } from '../../util/files.ts';
import { refuseLost } from '../memory-file.ts';

/** Files that belong to a database file. */
export const walPath = (path: string): string => `${path}.wal`;
export const shadowPath = (path: string): string => `${path}.shadow`;
export const sealPath = (path: string): string => `${path}.seal`;

/** 0 if the file does not exist. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A different text after every change of the file. */
export function changeStamp(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs].join(' ');
}

/**
 * Creates an empty file that only its owner can read, or restricts an existing one. Kùzu creates its log and shadow
 * file readable for everybody after every checkpoint; it keeps the permissions of an existing file.
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

/** Extends the checksum of the start of a file up to `end` or the file's end. */
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

/** Path of the new file during a compaction. The next open removes it if the process was killed. */
export const replacementPath = (path: string): string => `${path}.compacting`;

/** The file through which rows pass from a database to its replacement; its ending tells Kùzu the format. */
export const rowsPath = (path: string): string => `${replacementPath(path)}.parquet`;

export function dropReplacement(path: string): void {
  const replacement = replacementPath(path);
  rmSync(replacement, { force: true });
  rmSync(rowsPath(path), { force: true });
  dropBeside(replacement);
  // A process that was killed while it took the lock left a draft of it.
  const lock = `${basename(replacement)}.owner.lock`;
  const folder = dirname(replacement);
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name.startsWith(lock)) rmSync(join(folder, name), { force: true });
}

/**
 * Decides that the closed database beside this one, a file and its log, replaces it: `finishReplacement` must follow.
 * Returns the new log.
 */
export function decideReplacement(path: string, seal: Seal): Checksum {
  const replacement = replacementPath(path);
  const log = checksum(walPath(replacement));
  for (const file of [replacement, walPath(replacement)]) if (existsSync(file)) sync(file);
  syncFolder(dirname(path));
  const databaseBytes = sizeOf(replacement);
  seal.write({ state: 'replacing', databaseBytes, walBytes: log.bytes, walCrc: log.crc });
  return log;
}

/** Moves the files of a decided replacement into place. Safe to interrupt and repeat; the memory is not open. */
export function finishReplacement(path: string): void {
  const decided = readSeal(path);
  if (decided?.state !== 'replacing') return;
  const replacement = replacementPath(path);
  rmSync(shadowPath(path), { force: true });
  // Kùzu would replay the old log into the new file (defect 11).
  if (decided.walBytes === 0) rmSync(walPath(path), { force: true });
  else if (existsSync(walPath(replacement))) renameSync(walPath(replacement), walPath(path));
  if (existsSync(replacement)) renameSync(replacement, path);
  syncFolder(dirname(path));
  const seal = new Seal(path);
  seal.write({ ...decided, state: 'settled' });
  seal.close();
  dropReplacement(path);
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function dropBeside(path: string): void {
  for (const beside of [walPath(path), shadowPath(path), sealPath(path)]) rmSync(beside, { force: true });
}

const sealSchema = z.object({
  /**
   * `creating`: the first open has not finished. `unsettled`: a checkpoint may be running, so sizes are unknown.
   * `replacing`: the files of a compaction take the place of these; sizes are theirs.
   */
  state: z.enum(['creating', 'unsettled', 'replacing', 'settled']),
  /** Size of the database file at the last checkpoint: between checkpoints it only grows. */
  databaseBytes: z.number().int().nonnegative(),
  /** Length of the part of the log with acknowledged commits, and its CRC-32. */
  walBytes: z.number().int().nonnegative(),
  walCrc: z.number().int().nonnegative(),
  /** Acknowledged commits of all scopes, to say how many a damaged log has lost. */
  commits: z.number().int().nonnegative().optional(),
});
type SealState = z.infer<typeof sealSchema>;

/** One write of one size, so that a crash leaves either the old or the new content. */
const BYTES = 256;
const RESERVE = 65_536;

/**
 * `<path>.seal`: the minimum content of the database's files. Kùzu has no checksums: it opens a shortened file without
 * an error, and it drops a damaged log from the damage on, including acknowledged commits.
 */
export class Seal {
  readonly #file: number;

  constructor(database: string) {
    this.#file = openForUpdate(sealPath(database));
    this.reserve();
  }

  /**
   * Reserves disk space to release after a write failed on a full disk: on close, Kùzu writes the last page of its log
   * again, and a failure there ends the process.
   */
  reserve(): void {
    try {
      const { size } = fstatSync(this.#file);
      if (size < BYTES + RESERVE) writeSync(this.#file, Buffer.alloc(RESERVE, 0x20), 0, RESERVE, BYTES);
    } catch {
      // No space now: commits are rejected before the reserve is needed, and the next open tries again.
    }
  }

  release(): void {
    ftruncateSync(this.#file, BYTES);
  }

  write(state: SealState): void {
    writeSync(this.#file, JSON.stringify(state).padEnd(BYTES), 0);
    // Between checkpoints an older seal stays valid, so frequent commits need no fsync; a checkpoint invalidates it.
    if (state.state !== 'settled' || state.walBytes === 0) fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Null if there is no readable seal: then nothing can be checked. */
export function readSeal(database: string): SealState | null {
  try {
    return sealSchema.parse(JSON.parse(readFileSync(sealPath(database), 'utf8')));
  } catch {
    return null;
  }
}

/** Mode 'a' ignores positions, and 'r+' does not create the file. */
function openForUpdate(path: string): number {
  closeSync(openSync(path, 'a', 0o600));
  return openSync(path, 'r+');
}

const MAGIC = 'KUZU';
const PAGE = 4096;
const NO_PAGE = 0xffffffff;

/**
 * Checks a database's files before Kùzu opens them; changes nothing. Kùzu opens an empty file as an empty memory,
 * replays an old log into a new file, and on a shortened file crashes or returns wrong rows.
 *
 * @throws DatabaseCorruptError with the reason.
 */
export function checkFileHealth(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const seal = readSeal(path);
  if (stats === undefined) checkNoLeftovers(path);
  else {
    checkDatabaseFile(path, stats, seal);
    checkLog(path, seal);
  }
}

function checkNoLeftovers(path: string): void {
  const bytes = sizeOf(walPath(path));
  if (bytes > 0)
    corrupt(
      path,
      `the file is missing, but its log ${walPath(path)} (${bytes} bytes) exists; restore the file, or move the log away to start with an empty memory`,
    );
  refuseLost(path, 'missing');
}

function checkDatabaseFile(path: string, stats: Stats, seal: SealState | null): void {
  if (!stats.isFile()) corrupt(path, stats.isDirectory() ? 'it is a directory' : 'it is not a regular file');
  if (stats.size === 0 && seal?.state === 'creating') return; // the first open was killed before it stored anything
  if (stats.size === 0) corrupt(path, 'it is empty');
  const header = readHeader(path);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    corrupt(path, `it is ${kindOfFile(header)}, not a Mnemis database`);
  const needed = Math.max(PAGE, pagesNeeded(header) * PAGE, sealedBytes(seal));
  if (stats.size < needed)
    corrupt(
      path,
      `it has ${stats.size} bytes but needs at least ${needed}, so its end is missing${hint(path, seal)}`,
    );
  if (seal === null && isUnfilled(header) && sizeOf(walPath(path)) === 0)
    corrupt(
      path,
      `all its content is in its log ${walPath(path)}, which is missing; a memory is copied with its log and its seal`,
    );
}

const SIGNATURES: readonly (readonly [start: string, kind: string])[] = [
  ['SQLite format 3\0', 'an SQLite database'],
  ['PK', 'a zip archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['%PDF-', 'a PDF file'],
];

/** What a file is by its first bytes, in words that fit after "it is". */
function kindOfFile(header: Buffer): string {
  const start = header.toString('latin1');
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known !== undefined) return known[1];
  return header.includes(0) ? 'another kind of file' : 'a text file';
}

/** Whether no checkpoint has written a catalogue: everything is in the log, as in each small memory. */
function isUnfilled(header: Buffer): boolean {
  return header.length < 28 || header.readUInt32LE(12) === NO_PAGE;
}

/** The header lists the pages of the catalogue and of the tables' metadata: start and number of each. */
function pagesNeeded(header: Buffer): number {
  const end = (at: number) => {
    const start = header.readUInt32LE(at);
    return start === NO_PAGE ? 1 : start + header.readUInt32LE(at + 4);
  };
  return header.length < 28 ? 1 : Math.max(end(12), end(20));
}

function checkLog(path: string, seal: SealState | null): void {
  const damage = damageOfSealedLog(path, seal);
  if (damage !== null)
    corrupt(
      path,
      `${damage}${hint(path, seal)}; "mnemis repair --cut-log" keeps what stands before the break and says what is lost`,
    );
}

/**
 * What is wrong with the log of a sound database file; null if nothing is.
 *
 * @throws DatabaseCorruptError if the file itself is damaged.
 */
export function damageOfLog(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) corrupt(path, 'it is missing');
  const seal = readSeal(path);
  checkDatabaseFile(path, stats, seal);
  return damageOfSealedLog(path, seal);
}

function damageOfSealedLog(path: string, seal: SealState | null): string | null {
  if (seal === null || seal.state !== 'settled' || seal.walBytes === 0) return null;
  const found = checksum(walPath(path), undefined, seal.walBytes);
  if (found.bytes < seal.walBytes)
    return `its log has ${found.bytes} bytes where ${seal.walBytes} hold acknowledged commits`;
  return found.crc === seal.walCrc ? null : 'its log is damaged within the acknowledged commits';
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
