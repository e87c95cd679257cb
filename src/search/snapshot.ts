import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { endianness } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { DiskFullError, StoreWriteError } from '../errors/index.ts';
import type { Section, Sections } from './sections.ts';

/**
 * The bytes of a snapshot file:
 *
 *   0   8 bytes "MNEMISIX"
 *   8   uint32, little-endian: version of this format
 *   12  uint32: byte length of the table
 *   16  uint32: CRC-32 of the table
 *   20  the table as JSON, padded with spaces to a multiple of 64 from the file's start
 *   …   the sections, each padded with zeros to a multiple of 64 and covered with them by a CRC-32
 */
const MAGIC = 'MNEMISIX';
const SNAPSHOT_VERSION = 2;
const TABLE_AT = 20;
const ALIGNMENT = 64;

const TYPES = {
  float32: Float32Array,
  float64: Float64Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint8: Uint8Array,
  int8: Int8Array,
} as const;
type ArrayType = keyof typeof TYPES;

const size = z.number().int().nonnegative();
const tableSchema = z.strictObject({
  stamp: z.string(),
  byteOrder: z.enum(['LE', 'BE']),
  byteLength: size,
  sections: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(['json', ...(Object.keys(TYPES) as ArrayType[])]),
      at: size,
      byteLength: size,
      crc: size,
    }),
  ),
});
type Table = z.infer<typeof tableSchema>;
type TableEntry = Table['sections'][number];

interface Snapshot {
  readonly stamp: string;
  /** The caller owns the arrays and may change them; those of `decodeSnapshot` are views on its bytes where aligned. */
  readonly sections: Sections;
}

/** Why a snapshot cannot be used; the caller rebuilds from the graph in every case. */
type SnapshotRejection =
  | 'missing'
  | 'unreadable'
  /** Not a snapshot, or from a machine with the other byte order. */
  | 'foreign'
  | 'other version'
  | 'truncated'
  | 'damaged'
  /** Complete, but of another state of the graph. */
  | 'other stamp';

type SnapshotRead =
  | { readonly snapshot: Snapshot; readonly reason: null }
  | { readonly snapshot: null; readonly reason: SnapshotRejection };

/** The file's bytes in pieces, to be written one after the other; the arrays are not copied. */
export function encodeSnapshot(stamp: string, sections: Sections): Uint8Array[] {
  const bodies = Array.from(sections, ([name, section]) => ({ name, ...bodyOf(section) }));
  // Offsets depend on the table's own length, so they count from the end of the table.
  let at = 0;
  const entries: TableEntry[] = bodies.map(({ name, type, bytes }) => {
    const entry = {
      name,
      type,
      at,
      byteLength: bytes.length,
      crc: crc32(padding(bytes.length), crc32(bytes)),
    };
    at += aligned(bytes.length);
    return entry;
  });
  const table: Table = { stamp, byteOrder: endianness(), byteLength: at, sections: entries };
  return [headOf(table), ...bodies.flatMap(({ bytes }) => [bytes, padding(bytes.length)])];
}

/** Never throws: returns a reason if the bytes are not a complete snapshot with this stamp. */
export function decodeSnapshot(file: Uint8Array, stamp: string): SnapshotRead {
  const head = readHead(file, { fileLength: file.length, stamp });
  if (typeof head === 'string') return { snapshot: null, reason: head };
  const sections = new Map<string, Section>();
  for (const entry of head.table.sections) {
    const from = head.bodiesAt + entry.at;
    if (!addSection(sections, entry, file.subarray(from, from + aligned(entry.byteLength)))) return DAMAGED;
  }
  return { snapshot: { stamp, sections }, reason: null };
}

const DAMAGED: SnapshotRead = { snapshot: null, reason: 'damaged' };

function headOf(table: Table): Uint8Array {
  const json = Buffer.from(JSON.stringify(table), 'utf8');
  const head = Buffer.alloc(aligned(TABLE_AT + json.length), ' ');
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(SNAPSHOT_VERSION, 8);
  head.writeUInt32LE(head.length - TABLE_AT, 12);
  json.copy(head, TABLE_AT);
  head.writeUInt32LE(crc32(head.subarray(TABLE_AT)), 16);
  return head;
}

function bodyOf(section: Section): { readonly type: TableEntry['type']; readonly bytes: Uint8Array } {
  if ('json' in section) return { type: 'json', bytes: Buffer.from(JSON.stringify(section.json), 'utf8') };
  const type = (Object.keys(TYPES) as ArrayType[]).find((name) => section instanceof TYPES[name])!;
  return { type, bytes: new Uint8Array(section.buffer, section.byteOffset, section.byteLength) };
}

interface Head {
  readonly table: Table;
  readonly bodiesAt: number;
}

/** The table at the start of a file of this length, or why the file cannot be used. `start` holds the table at least. */
function readHead(
  start: Uint8Array,
  { fileLength, stamp }: { readonly fileLength: number; readonly stamp: string },
): Head | SnapshotRejection {
  const bodiesAt = tableEnd(start);
  if (typeof bodiesAt === 'string') return bodiesAt;
  if (fileLength < bodiesAt) return 'truncated';
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  const json = bytes.subarray(TABLE_AT, bodiesAt);
  if (crc32(json) !== bytes.readUInt32LE(16)) return 'damaged';
  const { data: table } = tableSchema.safeParse(parseJson(json));
  if (table === undefined) return 'damaged';
  if (table.byteOrder !== endianness()) return 'foreign';
  if (fileLength < bodiesAt + table.byteLength) return 'truncated';
  if (fileLength > bodiesAt + table.byteLength) return 'damaged';
  if (table.stamp !== stamp) return 'other stamp';
  return table.sections.every(({ at, byteLength }) => at + aligned(byteLength) <= table.byteLength)
    ? { table, bodiesAt }
    : 'damaged';
}

/** Where the sections begin. */
function tableEnd(start: Uint8Array): number | SnapshotRejection {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC.slice(0, Math.max(1, bytes.length)))
    return 'foreign';
  if (bytes.length < TABLE_AT) return 'truncated';
  if (bytes.readUInt32LE(8) !== SNAPSHOT_VERSION) return 'other version';
  return TABLE_AT + bytes.readUInt32LE(12);
}

/** Adds a section from its bytes with their padding; false if they are damaged. */
function addSection(sections: Map<string, Section>, entry: TableEntry, padded: Uint8Array): boolean {
  if (sections.has(entry.name) || crc32(padded) !== entry.crc) return false;
  const section = readSection(padded.subarray(0, entry.byteLength), entry.type);
  if (section !== null) sections.set(entry.name, section);
  return section !== null;
}

function readSection(bytes: Uint8Array, type: TableEntry['type']): Section | null {
  if (type === 'json') {
    const json = parseJson(bytes);
    return json === undefined ? null : { json };
  }
  const width = TYPES[type].BYTES_PER_ELEMENT;
  if (bytes.length % width !== 0) return null;
  // Not slice(): on a Buffer it returns another view.
  const whole = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
  return new TYPES[type](whole.buffer as ArrayBuffer, whole.byteOffset, whole.length / width);
}

/** Undefined if it is not JSON; a schema checks every value later. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function padding(length: number): Uint8Array {
  return new Uint8Array(aligned(length) - length);
}

/**
 * Writes the sections under a stamp and replaces the old snapshot. Another process sees the old or the new file, never
 * a part; only the owner can read the file.
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

/**
 * The snapshot with this stamp, or why there is none. Never throws. Each section has memory of its own, so that it is
 * freed alone, and the sections of another stamp are not read.
 */
export async function readSnapshot(path: string, stamp: string): Promise<SnapshotRead> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    return await readSections(file, stamp);
  } catch (error) {
    return { snapshot: null, reason: errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable' };
  } finally {
    await file?.close().catch(() => undefined);
  }
}

async function readSections(file: FileHandle, stamp: string): Promise<SnapshotRead> {
  const { size: fileLength } = await file.stat();
  const bodiesAt = tableEnd(await readAll(file, 0, Math.min(TABLE_AT, fileLength)));
  const head =
    typeof bodiesAt === 'string'
      ? bodiesAt
      : readHead(await readAll(file, 0, Math.min(bodiesAt, fileLength)), { fileLength, stamp });
  if (typeof head === 'string') return { snapshot: null, reason: head };
  const sections = new Map<string, Section>();
  for (const entry of head.table.sections) {
    const padded = await readAll(file, head.bodiesAt + entry.at, aligned(entry.byteLength));
    if (!addSection(sections, entry, padded)) return DAMAGED;
  }
  return { snapshot: { stamp, sections }, reason: null };
}

/** So many bytes from a place, or as many as there are. */
async function readAll(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** Deletes the snapshot and the temporary files of interrupted writes: they contain words of a memory. */
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

/** Makes the rename durable. Windows cannot open a folder and does not need this. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch {
    // The file itself is safe. After a power cut the old snapshot may return, and its stamp shows that it is old.
  }
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
}
