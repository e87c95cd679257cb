import { createReadStream } from 'node:fs';
import { unreadable } from '../unreadable.ts';

/** One file to read, on disk or within an archive. An archive is never unpacked to disk. */
export interface ImportFile {
  /** Its name for reports: relative to the opened path, without control characters, truncated. */
  readonly name: string;
  /** Null if unknown, as for a pipe. */
  readonly bytes: number | null;
  /** Milliseconds since 1970; null if unknown. */
  readonly modifiedAt: number | null;
  /**
   * Streams its bytes from the start, those of UTF-16 text as UTF-8. Can be called again, except for a pipe.
   *
   * Throws FileUnreadableError, also midway.
   */
  open(): AsyncIterable<Uint8Array>;
}

export interface ImportFiles {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'zip';
  readonly files: readonly ImportFile[];
  /** Files that must not be read, with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  close(): Promise<void>;
}

const LONGEST_NAME = 200;

/** File names are untrusted: removes characters that could control a terminal or hide the end of the name. */
export function shownName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, '?');
  return plain.length <= LONGEST_NAME ? plain : `…${plain.slice(1 - LONGEST_NAME)}`;
}

const SAMPLE_BYTES = 1024 * 1024;

/** The start of a file, for detecting its format. */
export interface FileSample {
  readonly name: string;
  /** Whether it is one of the files of a folder or an archive. */
  readonly isWithin: boolean;
  /** At most the first megabyte, decoded leniently; empty if it is not text. */
  readonly text: string;
  /**
   * For JSON, the keys in the head, as paths from the root: "[].mapping", "chats.list". For JSON lines, those of the
   * first line.
   */
  readonly keys: ReadonlySet<string>;
}

/** Throws FileUnreadableError. */
export async function sampleOf(
  file: ImportFile,
  { isWithin }: Pick<FileSample, 'isWithin'>,
): Promise<FileSample> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.open()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= SAMPLE_BYTES) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, SAMPLE_BYTES);
  const text = isText(bytes) ? new TextDecoder().decode(bytes) : '';
  return { name: file.name, isWithin, text, keys: keyPaths(text) };
}

/** JSON that a program has damaged may have a few zeros; other files with zeros are no text. */
function isText(bytes: Uint8Array): boolean {
  let zeros = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1))
    if (++zeros * 100 > bytes.length) return false;
  return zeros === 0 || /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 100)));
}

const CHUNK_BYTES = 256 * 1024;

export function diskFile(path: string, about: Pick<ImportFile, 'name' | 'bytes' | 'modifiedAt'>): ImportFile {
  return { ...about, name: shownName(about.name), open: () => asUtf8(chunksOf(path)) };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Text that begins with the mark of UTF-16 as UTF-8; other bytes as they are. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: ReturnType<typeof decoderOf> = null;
  let isStart = true;
  for await (const chunk of chunks) {
    if (isStart) decoder = decoderOf(chunk);
    isStart = false;
    yield decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  }
}

function decoderOf([first, second]: Uint8Array) {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : null;
}

const MAX_DEPTH = 5;
const MAX_KEYS = 5_000;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/gs;

interface Open {
  readonly path: string;
  readonly isList: boolean;
  key: string;
}

/** The keys of JSON text, possibly truncated, as paths from the root; a list is "[]". Empty for other text. */
export function keyPaths(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  if (!/^\s*[[{]/.test(text)) return keys;
  const open: Open[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(opened(open.at(-1), token === '['));
    else if (token === '}' || token === ']') {
      open.pop();
      if (open.length === 0) return keys;
    } else if (token === ':' && last.startsWith('"')) {
      const inside = open.at(-1)!;
      inside.key = last.slice(1, -1);
      if (open.length <= MAX_DEPTH) keys.add(join(inside));
      if (keys.size >= MAX_KEYS) return keys;
    }
    last = token;
  }
  return keys;
}

function opened(outside: Open | undefined, isList: boolean): Open {
  const path = outside === undefined ? '' : outside.isList ? outside.path : join(outside);
  return { path: isList ? `${path}[]` : path, isList, key: '' };
}

function join({ path, key }: Open): string {
  return path === '' ? key : `${path}.${key}`;
}
