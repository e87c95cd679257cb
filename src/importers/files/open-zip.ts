import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import * as yauzl from 'yauzl';
import { FileUnreadableError, MnemisError } from '../../errors/index.ts';
import { systemReason } from '../unreadable.ts';
import { asUtf8, type ImportFile, type ImportFiles, shownName } from './import-file.ts';

/** An export with the pictures of ten years has fewer entries. */
export const MAX_ZIP_ENTRIES = 200_000;
/** Total of the files that are read; pictures are never unpacked. */
export const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;
/** Chats compress to a tenth, very repetitive ones to a hundredth; a zip bomb to a thousandth. */
export const MAX_RATIO = 400;
/** Files smaller than this may compress at any ratio. */
const RATIO_MATTERS_FROM = 4 * 1024 * 1024;

const LINK = 0o120000;
const KIND_OF_FILE = 0o170000;

/**
 * The wanted files of a zip archive. Only they are unpacked, streamed in memory. Entries that are encrypted, links,
 * badly named or compressed too much are rejected with a reason.
 *
 * Throws FileUnreadableError.
 */
export async function openZip(path: string, wanted: (name: string) => boolean): Promise<ImportFiles> {
  const reader = await WindowReader.open(path).catch((cause: unknown) => {
    throw broken(path, cause);
  });
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  try {
    const zip = await yauzl.fromRandomAccessReaderPromise(reader, reader.bytes, options);
    return {
      path,
      kind: 'zip',
      ...(await listEntries({ path, zip, reader }, wanted)),
      close: () => reader.closeFile(),
    };
  } catch (cause) {
    await reader.closeFile();
    throw broken(path, cause);
  }
}

const WINDOW_BYTES = 512 * 1024;

/** Reads an archive in large pieces: one with many small files takes several reads of a few bytes for each. */
class WindowReader extends yauzl.RandomAccessReader {
  readonly #file: FileHandle;
  readonly bytes: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  private constructor(file: FileHandle, bytes: number) {
    super();
    this.#file = file;
    this.bytes = bytes;
  }

  static async open(path: string): Promise<WindowReader> {
    const file = await open(path, 'r');
    return new WindowReader(file, (await file.stat()).size);
  }

  /** Bytes at a position, fewer at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    const from = position - this.#start;
    if (from >= 0 && from + length <= this.#window.length) return this.#window.subarray(from, from + length);
    const buffer = Buffer.allocUnsafe(Math.max(length, WINDOW_BYTES));
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(buffer, filled, buffer.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    [this.#window, this.#start] = [buffer.subarray(0, filled), position];
    return this.#window.subarray(0, length);
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.at(position, length).then(
      (bytes) => callback(null, bytes.copy(buffer, offset)),
      (error: Error) => callback(error),
    );
  }

  override _readStreamForRange(start: number, end: number) {
    return this.#file.createReadStream({ start, end: end - 1, autoClose: false });
  }

  closeFile(): Promise<void> {
    return this.#file.close();
  }
}

interface OpenZip {
  readonly path: string;
  readonly zip: yauzl.ZipFile;
  readonly reader: WindowReader;
}

async function listEntries(archive: OpenZip, wanted: (name: string) => boolean) {
  const { path, zip } = archive;
  const files: ImportFile[] = [];
  const refused: { name: string; reason: string }[] = [];
  let [count, total] = [0, 0];
  for await (const entry of zip.eachEntry()) {
    if (++count > MAX_ZIP_ENTRIES)
      throw new FileUnreadableError(path, `it holds more than ${MAX_ZIP_ENTRIES} files; unpack it first`);
    const name = nameOf(entry);
    if (name.endsWith('/') || !wanted(name)) continue;
    const reason = refusalOf(entry, name);
    if (reason !== null) {
      refused.push({ name: shownName(name), reason });
      continue;
    }
    total += entry.uncompressedSize;
    if (total > MAX_UNPACKED_BYTES)
      throw new FileUnreadableError(
        path,
        `its files would unpack to more than ${MAX_UNPACKED_BYTES / 1024 ** 3} GB; import them one by one`,
      );
    files.push(entryFile(archive, entry, name));
  }
  return { files, refused };
}

/** Names are decoded here: yauzl would fail the whole archive because of a single bad one. */
function nameOf(entry: yauzl.Entry): string {
  const raw = entry.fileNameRaw;
  return yauzl
    .getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, false)
    .replaceAll('\\', '/');
}

function refusalOf(entry: yauzl.Entry, name: string): string | null {
  if (yauzl.validateFileName(name) !== null || name.includes('\0')) return 'has a name that leads elsewhere';
  if (((entry.externalFileAttributes >>> 16) & KIND_OF_FILE) === LINK) return 'is a link';
  if (entry.isEncrypted()) return 'is encrypted; unpack the archive with its password first';
  if (!entry.canDecodeFileData()) return 'uses an unknown compression; unpack the archive first';
  const { compressedSize: packed, uncompressedSize: bytes } = entry;
  if (bytes > RATIO_MATTERS_FROM && bytes > packed * MAX_RATIO)
    return `would unpack to more than ${MAX_RATIO} times its size; if you trust it, unpack it first`;
  return null;
}

function entryFile(archive: OpenZip, entry: yauzl.Entry, name: string): ImportFile {
  return {
    name: shownName(name),
    bytes: entry.uncompressedSize,
    modifiedAt: entry.getLastModDate({ timezone: 'UTC' }).getTime() || null,
    open: () => asUtf8(unpack(archive, entry)),
  };
}

/** Files up to this size are unpacked at once: a stream costs more than they do. */
const SMALL_BYTES = 64 * 1024;

/** yauzl enforces the stated size of a stream; the checksum is verified here. */
async function* unpack(archive: OpenZip, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  const { path, zip } = archive;
  let sum = 0;
  try {
    const isSmall = Math.max(entry.compressedSize, entry.uncompressedSize) <= SMALL_BYTES;
    for await (const chunk of isSmall
      ? [unpackSmall(archive, entry)]
      : await zip.openReadStreamPromise(entry)) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (cause) {
    throw broken(path, cause);
  }
  if (sum !== entry.crc32)
    throw new FileUnreadableError(path, 'a file in it is damaged: its checksum is wrong');
}

async function unpackSmall({ path, zip, reader }: OpenZip, entry: yauzl.Entry): Promise<Buffer> {
  const { compressedSize, compressionMethod, uncompressedSize } = entry;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = await reader.at(fileDataStart, compressedSize);
  const bytes =
    compressionMethod === 0
      ? Buffer.from(packed)
      : inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) });
  if (bytes.length !== uncompressedSize) throw new FileUnreadableError(path, DAMAGED);
  return bytes;
}

const DAMAGED = 'it is a damaged or unfinished zip archive';

function broken(path: string, cause: unknown): MnemisError {
  if (MnemisError.isInstance(cause)) return cause;
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const isOfZip = code === 'ERR_BUFFER_TOO_LARGE' || code?.startsWith('Z_');
  const known = code !== undefined && !isOfZip ? systemReason(cause) : null;
  return new FileUnreadableError(path, known ?? DAMAGED, cause);
}
