import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { CancelledError, DatabaseCorruptError, StoreWriteError } from '../../errors/index.ts';

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

/** Where the new file of a compaction is made. What a kill leaves of one is removed at the next open. */
export const replacementPath = (path: string): string => `${path}.compacting`;

export function dropReplacement(path: string): void {
  const replacement = replacementPath(path);
  rmSync(replacement, { force: true });
  dropBeside(replacement);
  rmSync(`${replacement}.lock`, { force: true });
}

/**
 * Puts a closed, checkpointed database file in the place of another one, whose log is folded in. Whenever the process
 * is killed, the old file is there or the new one, and the seal fits both: it asks for what either has.
 */
export function putInPlace(path: string, replacement: string, seal: Seal): void {
  const databaseBytes = Math.min(sizeOf(path), sizeOf(replacement));
  dropBeside(replacement);
  seal.write({ state: 'settled', databaseBytes, walBytes: 0, walCrc: 0 });
  // Empty, as the caller says; Kùzu would replay what it holds into the new file (defect 11).
  rmSync(walPath(path), { force: true });
  rmSync(shadowPath(path), { force: true });
  syncFolder(dirname(path));
  renameSync(replacement, path);
  syncFolder(dirname(path));
}

function dropBeside(path: string): void {
  for (const beside of [walPath(path), shadowPath(path), sealPath(path)]) rmSync(beside, { force: true });
}

/** Windows cannot open a folder and needs no such thing. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const COPY_CHUNK_BYTES = 4 * 2 ** 20;

interface CopyWholeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Copy only so many bytes from the start. */
  readonly bytes?: number | undefined;
}

/**
 * Copies a file durably, readable by its owner only, in place of one that is there. Where the file system can, the
 * copy shares the blocks of the original.
 *
 * @throws CancelledError, StoreWriteError when the original is shorter than it should be, or the system's error.
 */
export async function copyWhole(from: string, to: string, options: CopyWholeOptions = {}): Promise<void> {
  refuseIfAborted(options.signal);
  await rm(to, { force: true });
  if (options.bytes === undefined && (await shareBlocks(from, to))) return;
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      await copyBytes(source, target, options);
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function shareBlocks(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await rm(to, { force: true });
    return false;
  }
  const file = await open(to, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
    return true;
  } finally {
    await file.close();
  }
}

async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  { signal, bytes = Number.POSITIVE_INFINITY }: CopyWholeOptions,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(COPY_CHUNK_BYTES);
  let at = 0;
  while (at < bytes) {
    refuseIfAborted(signal);
    const { bytesRead } = await source.read(buffer, 0, Math.min(COPY_CHUNK_BYTES, bytes - at), at);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead; )
      written += (await target.write(buffer, written, bytesRead - written)).bytesWritten;
    at += bytesRead;
  }
  if (Number.isFinite(bytes) && at < bytes)
    throw new StoreWriteError('a file became shorter while it was copied');
}

function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('the memory is as it was', signal.reason);
}

const sealSchema = z.object({
  /** `creating`: the first open has not ended. `unsettled`: a checkpoint may be under way, nothing can be told. */
  state: z.enum(['creating', 'unsettled', 'settled']),
  /** Size of the database file at the last checkpoint: between checkpoints it only grows. */
  databaseBytes: z.number().int().nonnegative(),
  /** How much of the log held acknowledged commits, and its CRC-32. */
  walBytes: z.number().int().nonnegative(),
  walCrc: z.number().int().nonnegative(),
});
type SealState = z.infer<typeof sealSchema>;

/** One write of one size, so that a crash leaves the old content or the new one. */
const BYTES = 256;
const RESERVE = 65_536;

/**
 * `<path>.seal`: what the database's files must at least hold. Kùzu has no checksums: it opens a shortened file
 * without complaint, and it silently drops a damaged log from the damage on, acknowledged commits included.
 */
export class Seal {
  readonly #file: number;

  constructor(database: string) {
    this.#file = openForUpdate(sealPath(database));
    this.reserve();
  }

  /**
   * Takes some disk room to be given back when a write failed for want of it: Kùzu, when closed, writes the
   * last page of its log once more, and a failure there ends the process.
   */
  reserve(): void {
    try {
      const { size } = fstatSync(this.#file);
      if (size < BYTES + RESERVE) writeSync(this.#file, Buffer.alloc(RESERVE, 0x20), 0, RESERVE, BYTES);
    } catch {
      // No room now; commits are refused before it matters, and the next open tries again.
    }
  }

  release(): void {
    ftruncateSync(this.#file, BYTES);
  }

  write(state: SealState): void {
    writeSync(this.#file, JSON.stringify(state).padEnd(BYTES), 0);
    // Commits happen often, and an older seal of the same log stays true; a checkpoint makes it untrue.
    if (state.state !== 'settled' || state.walBytes === 0) fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Null when there is none, or none that can be understood: then nothing can be told. */
export function readSeal(database: string): SealState | null {
  try {
    return sealSchema.parse(JSON.parse(readFileSync(sealPath(database), 'utf8')));
  } catch {
    return null;
  }
}

/** 'a' mode would ignore positions, 'r+' does not create. */
function openForUpdate(path: string): number {
  closeSync(openSync(path, 'a', 0o600));
  return openSync(path, 'r+');
}

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
