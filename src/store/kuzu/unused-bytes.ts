import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';

/**
 * Kùzu writes the header, the catalogue and the metadata of tables through pages that it does not clear (`malloc` in
 * `in_mem_file_writer.cpp`), so the end of the last page of each is what the process had in memory there before: often
 * text, also of removed rows and of other files (docs/kuzu-defects.md, defect 19). Nothing in the file says where the
 * content ends, so the content is read as Kùzu reads it (`checkpointer.cpp`).
 */

const PAGE = 4096;
const NO_PAGE = 0xffffffff;
/** Of Kùzu 0.11. */
const STORAGE_VERSION = 39;

/** The header: magic, version, then start and number of pages of the catalogue and of the metadata. */
const MAGIC_BYTES = 4;

/**
 * Overwrites with zeros what follows the header, the catalogue and the metadata in their last pages. Changes nothing
 * that Kùzu reads, so the file can be open and the process can be killed meanwhile. No checkpoint may run meanwhile.
 *
 * @returns Whether all three were cleared. False if the file has content that this store does not write.
 */
export function clearUnusedBytes(path: string): boolean {
  const file = openSync(path, 'r+');
  try {
    const header = new Part(file, { start: 0, from: MAGIC_BYTES, pages: 1 }); // Windows locks the first byte
    const version = header.number();
    header.skip(4); // its upper half
    const [catalogStart, catalogPages, metadataStart, metadataPages] = Array.from({ length: 4 }, () =>
      header.number(),
    ) as [number, number, number, number];
    let isKnown = version === STORAGE_VERSION;
    let isChanged = isKnown && header.clearRest();
    const clear = (start: number, pages: number, skip: (part: Part) => void) => {
      if (start === NO_PAGE || !isKnown) return;
      const part = new Part(file, { start, pages });
      try {
        skip(part);
      } catch (error) {
        if (!(error instanceof UnknownContent)) throw error;
        isKnown = false;
        return;
      }
      isChanged = part.clearRest() || isChanged;
    };
    clear(catalogStart, catalogPages, skipCatalog);
    clear(metadataStart, metadataPages, skipMetadata);
    if (isChanged) fdatasyncSync(file);
    return isKnown;
  } finally {
    closeSync(file);
  }
}

class UnknownContent extends Error {}

/** Consecutive pages of the file, read from the start. */
class Part {
  readonly #file: number;
  readonly #offset: number;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(file: number, { start, pages, from = 0 }: { start: number; pages: number; from?: number }) {
    this.#file = file;
    this.#offset = start * PAGE + from;
    const bytes = Buffer.alloc(pages * PAGE - from);
    this.#bytes = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#offset));
  }

  skip(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#bytes.length) throw new UnknownContent();
  }

  byte(): number {
    this.skip(1);
    return this.#bytes[this.#at - 1]!;
  }

  number(): number {
    this.skip(4);
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  /** A number of entries, each of at least one byte. */
  count(): number {
    this.skip(8);
    const count = this.#bytes.readBigUInt64LE(this.#at - 8);
    if (count > this.#bytes.length) throw new UnknownContent();
    return Number(count);
  }

  flag(): boolean {
    const value = this.byte();
    if (value > 1) throw new UnknownContent();
    return value === 1;
  }

  /** Whether the next number, of eight bytes, is the largest possible. */
  isUnset(): boolean {
    this.skip(8);
    return this.#bytes.readBigUInt64LE(this.#at - 8) === 2n ** 64n - 1n;
  }

  bytes(): void {
    this.skip(this.count());
  }

  each(skip: (part: Part) => void): void {
    for (let left = this.count(); left > 0; left -= 1) skip(this);
  }

  /** Whether there was something. */
  clearRest(): boolean {
    const rest = this.#bytes.subarray(this.#at);
    if (rest.every((byte) => byte === 0)) return false;
    rest.fill(0);
    for (let at = 0; at < rest.length; )
      at += writeSync(this.#file, rest, at, rest.length - at, this.#offset + this.#at + at);
    return true;
  }
}

const ID = 8;
const text = (part: Part) => part.bytes();

const ENTRY = { nodeTable: 0, relationshipTable: 2, type: 41 } as const;

/** Tables, sequences, functions, types, indexes; internal tables, sequences, functions. */
function skipCatalog(part: Part): void {
  for (let set = 0; set < 8; set += 1) {
    part.skip(ID); // the next id
    part.each(skipEntry);
  }
}

function skipEntry(part: Part): void {
  const kind = part.byte();
  text(part); // name
  part.skip(ID);
  part.flag();
  switch (kind) {
    case ENTRY.nodeTable:
      skipProperties(part);
      text(part); // primary key
      break;
    case ENTRY.relationshipTable:
      skipProperties(part);
      part.skip(2); // multiplicities
      if (part.byte() !== BOTH_DIRECTIONS) throw new UnknownContent();
      part.each(skipPair);
      break;
    case ENTRY.type:
      skipType(part);
      break;
    default:
      throw new UnknownContent();
  }
}

const BOTH_DIRECTIONS = 2;

/** Both ends and the table. */
const skipPair = (part: Part) => part.skip(3 * ID);

function skipProperties(part: Part): void {
  text(part); // comment
  part.skip(8); // the next column and property
  part.each(() => {
    part.skip(4);
    text(part); // name
    skipType(part);
    skipDefault(part);
  });
  part.each(() => part.skip(8)); // properties and their columns
}

const LITERAL = 70;

function skipDefault(part: Part): void {
  if (part.byte() !== LITERAL) throw new UnknownContent();
  text(part); // alias
  text(part); // as written
  if (part.count() > 0) throw new UnknownContent();
  const type = skipType(part);
  part.flag(); // null
  if (part.number() > 0) throw new UnknownContent();
  const bytes = BYTES[type];
  if (type === TEXT) text(part);
  else if (bytes === undefined) throw new UnknownContent();
  else part.skip(bytes);
}

const TEXT = 20;
const INTERNAL_ID = 14;
/** Sizes of the values of physical types: truth values, whole numbers, fractions. Without a type: none. */
const BYTES: Readonly<Record<number, number>> = {
  0: 0,
  1: 1,
  2: 8,
  3: 4,
  4: 2,
  5: 1,
  6: 8,
  7: 4,
  8: 2,
  9: 1,
  11: 8,
  12: 4,
};

function skipType(part: Part): number {
  part.skip(1);
  const physical = part.byte();
  if (physical !== TEXT && physical !== INTERNAL_ID && BYTES[physical] === undefined)
    throw new UnknownContent();
  if (part.flag()) text(part); // the name of a derived type
  return physical;
}

function skipMetadata(part: Part): void {
  part.each(() => {
    part.skip(ID);
    skipGroups(part, skipNodeGroup);
    part.each(skipIndex);
  });
  part.each(() => {
    part.skip(ID);
    part.each(() => {
      skipPair(part);
      part.skip(8); // the next relationship
      for (const _ of ['forward', 'backward']) skipGroups(part, skipEdgeGroup);
    });
  });
  part.each(() => part.skip(8)); // free pages
}

/** The stored groups of rows of a table, and its statistics. */
function skipGroups(part: Part, skipGroup: (part: Part) => void): void {
  part.each(() => {
    part.skip(8 + 1 + 1); // number, compression, format
    if (part.flag()) skipGroup(part);
  });
  part.skip(8); // rows
  part.each(() => {
    if (part.flag()) part.skip(64); // how many values differ
  });
}

function skipNodeGroup(part: Part): void {
  part.each(skipColumn);
  part.skip(8); // first row
  if (part.flag()) part.each(() => part.flag() && skipVersions(part));
}

function skipEdgeGroup(part: Part): void {
  skipColumn(part); // offsets
  skipColumn(part); // lengths
  skipNodeGroup(part);
}

const ROWS_OF_VECTOR = 2048;

/** Which of 2048 rows are removed. */
function skipVersions(part: Part): void {
  part.skip(1); // inserted
  if (!part.flag()) return;
  if (part.isUnset()) part.skip(8 * ROWS_OF_VECTOR); // not all by one transaction
}

function skipColumn(part: Part): void {
  part.flag();
  skipValues(part);
}

function skipValues(part: Part): void {
  const type = skipType(part);
  skipPlace(part);
  part.flag(); // compression
  if (part.flag()) skipPlace(part); // which are null
  if (type !== TEXT) return;
  for (const _ of ['indexes', 'offsets', 'texts']) skipValues(part);
}

const FRACTIONS = 4;

/** Pages, number of values, least and greatest value, compression. */
function skipPlace(part: Part): void {
  part.skip(4 + 4 + 8);
  skipCompression(part);
}

function skipCompression(part: Part): void {
  part.skip(16 + 16);
  const kind = part.byte();
  if (kind > FRACTIONS) throw new UnknownContent();
  if (kind !== FRACTIONS) return;
  part.skip(1 + 1 + 4 + 4);
  skipCompression(part);
}

function skipIndex(part: Part): void {
  text(part); // name
  text(part); // kind
  part.skip(ID);
  part.each(() => part.skip(4)); // columns
  part.each(() => part.skip(1)); // physical types
  part.flag();
  part.flag();
  part.bytes();
}
