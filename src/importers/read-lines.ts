import { type FileHandle, open } from 'node:fs/promises';
import { FileUnreadableError } from '../errors/index.ts';
import { Breather } from '../util/breathe.ts';
import type { ReadContext } from './chat-importer.ts';
import type { ImportFile } from './files/import-file.ts';
import { type ImportProgress, throwIfCancelled } from './importer.ts';
import { foreignStart, systemReason, unreadable } from './unreadable.ts';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Where a line stands in its file, in bytes, without its end. */
export interface LinePlace {
  readonly start: number;
  readonly bytes: number;
}

/** A line without its end; `number` counts from 1. */
export type Line =
  | ({ readonly number: number; readonly text: string } & LinePlace)
  | { readonly number: number; readonly problem: string };

/** Splits chunks of bytes into lines. Bytes, not text, because a chunk may end within a character. */
class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Uint8Array[] = [];
  #length = 0;
  #number = 1;
  /** A line feed at the start of the next chunk ends no other line. */
  #endsWithReturn = false;
  /** Bytes of earlier chunks, and before the current line. */
  #earlier = 0;
  #start = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get nextNumber(): number {
    return this.#number;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let start = this.#endsWithReturn && chunk[0] === LINE_FEED ? 1 : 0;
    this.#start += start;
    if (chunk.length > 0) this.#endsWithReturn = false;
    let [feed, back] = [chunk.indexOf(LINE_FEED, start), chunk.indexOf(RETURN, start)];
    while (feed >= 0 || back >= 0) {
      const isReturn = back >= 0 && (feed < 0 || back < feed);
      const end = isReturn ? back : feed;
      this.#hold(chunk.subarray(start, end));
      yield this.#finish();
      start = isReturn && feed === end + 1 ? end + 2 : end + 1;
      this.#start = this.#earlier + start;
      this.#endsWithReturn = isReturn && start === chunk.length && feed !== end + 1;
      if (feed >= 0 && feed < start) feed = chunk.indexOf(LINE_FEED, start);
      if (isReturn) back = chunk.indexOf(RETURN, start);
    }
    this.#hold(chunk.subarray(start));
    this.#earlier += chunk.length;
  }

  /** The last line, if it has no line break. */
  *end(): Generator<Line> {
    if (this.#length > 0) yield this.#finish();
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(): Line {
    const line = this.#read();
    this.#pieces = [];
    this.#length = 0;
    this.#number++;
    return line;
  }

  #read(): Line {
    const number = this.#number;
    if (this.#length > this.#maxBytes) return { number, problem: `is longer than ${this.#maxBytes} bytes` };
    try {
      const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
      return { number, text: this.#decoder.decode(bytes), start: this.#start, bytes: this.#length };
    } catch {
      return { number, problem: 'is not UTF-8 text' };
    }
  }
}

const CHUNK_BYTES = 256 * 1024;

interface LineOptions {
  /** A longer line is reported without keeping it in memory. */
  readonly maxBytes: number;
  /** Rejects files that cannot be read twice, such as pipes. */
  readonly regularOnly?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Streams the lines of a UTF-8 file: one chunk and one line are in memory at a time. Line ends are LF, CRLF or CR, a byte
 * order mark is dropped, and a read error gives a last line with that problem.
 */
export async function* readLines(path: string, options: LineOptions): AsyncGenerator<Line> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  try {
    yield* splitFile(path, file, options);
  } finally {
    await file.close();
  }
}

async function* splitFile(path: string, file: FileHandle, options: LineOptions): AsyncGenerator<Line> {
  const { maxBytes, onProgress, regularOnly, signal } = options;
  const total = await byteLength(path, file);
  if (total === null && regularOnly)
    throw new FileUnreadableError(
      path,
      'it is not a regular file, so it cannot be checked before it is read',
    );
  const splitter = new LineSplitter(maxBytes);
  let done = 0;
  for (;;) {
    throwIfCancelled(signal);
    const chunk = await readChunk(file).catch((cause: unknown) => {
      // Lines may have been returned already: only the rest is missing then.
      if (done === 0) throw unreadable(path, cause);
      return systemReason(cause);
    });
    if (typeof chunk === 'string') {
      yield { number: splitter.nextNumber, problem: `the rest could not be read: ${chunk}` };
      return;
    }
    if (done === 0) refuseForeign(path, chunk);
    done += chunk.length;
    yield* chunk.length === 0 ? splitter.end() : splitter.push(chunk);
    onProgress?.({ unit: 'bytes', done, total });
    if (chunk.length === 0) return;
  }
}

async function byteLength(path: string, file: FileHandle): Promise<number | null> {
  const status = await file.stat();
  if (status.isDirectory()) throw new FileUnreadableError(path, 'it is a directory');
  return status.isFile() ? status.size : null;
}

async function readChunk(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
  return buffer.subarray(0, bytesRead);
}

function refuseForeign(path: string, start: Uint8Array): void {
  const reason = foreignStart(start);
  if (reason !== null) throw new FileUnreadableError(path, reason);
}

const MAX_LINE_BYTES = 24 * 1024 * 1024;

/**
 * Streams the lines of a file on disk or in an archive, as `readLines` does those of a path.
 *
 * Throws FileUnreadableError if nothing can be read.
 */
export async function* fileLines(file: ImportFile, context: ReadContext): AsyncGenerator<Line> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const breather = new Breather();
  let isStart = true;
  try {
    for await (const chunk of file.open()) {
      context.advance(chunk.length);
      const foreign = isStart ? foreignStart(chunk) : null;
      if (foreign !== null) throw new FileUnreadableError(context.path, `${context.in(file)}${foreign}`);
      isStart = false;
      yield* splitter.push(chunk);
      await breather.breathe();
    }
  } catch (error) {
    if (splitter.nextNumber === 1 || !FileUnreadableError.isInstance(error)) throw error;
    yield { number: splitter.nextNumber, problem: 'the rest of the file could not be read: it is damaged' };
    return;
  }
  yield* splitter.end();
}
