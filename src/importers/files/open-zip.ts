import { crc32 } from 'node:zlib';
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
  const zip = await yauzl
    .openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false })
    .catch((cause: unknown) => {
      throw broken(path, cause);
    });
  try {
    return { path, kind: 'zip', ...(await listEntries(path, zip, wanted)), close: async () => zip.close() };
  } catch (cause) {
    zip.close();
    throw broken(path, cause);
  }
}

async function listEntries(path: string, zip: yauzl.ZipFile, wanted: (name: string) => boolean) {
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
    files.push(entryFile(path, zip, { entry, name }));
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

function entryFile(
  path: string,
  zip: yauzl.ZipFile,
  { entry, name }: { entry: yauzl.Entry; name: string },
): ImportFile {
  return {
    name: shownName(name),
    bytes: entry.uncompressedSize,
    modifiedAt: entry.getLastModDate({ timezone: 'UTC' }).getTime() || null,
    open: () => asUtf8(unpack(path, zip, entry)),
  };
}

/** yauzl enforces the stated size; the checksum is verified here. */
async function* unpack(path: string, zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (cause) {
    throw broken(path, cause);
  }
  if (sum !== entry.crc32)
    throw new FileUnreadableError(path, 'a file in it is damaged: its checksum is wrong');
}

function broken(path: string, cause: unknown): MnemisError {
  if (MnemisError.isInstance(cause)) return cause;
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const known = code !== undefined && !code.startsWith('Z_') ? systemReason(cause) : null;
  return new FileUnreadableError(path, known ?? 'it is a damaged or unfinished zip archive', cause);
}
