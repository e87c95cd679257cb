import { type FileHandle, open } from 'node:fs/promises';
import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import type { ImportProgress } from './importer.ts';
import { type Line, LineSplitter } from './line-splitter.ts';
import { throwIfCancelled } from './tolerate.ts';
import { foreignStart, systemReason, unreadable } from './unreadable.ts';

const CHUNK_BYTES = 256 * 1024;

export interface LineOptions {
  /** A longer line is reported without being held in memory. */
  readonly maxBytes: number;
  /** Refuses what cannot be read a second time, such as a pipe. */
  readonly regularOnly?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/**
 * Streams the lines of a UTF-8 file: one chunk and one line are in memory at a time. Ends are LF or CRLF, a
 * byte order mark is dropped, and a file that breaks off in a read error ends in a line with that problem.
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
    throw new FileUnreadableError(path, 'it is no regular file, so it cannot be checked before it is read');
  const splitter = new LineSplitter(maxBytes);
  let done = 0;
  for (;;) {
    throwIfCancelled(signal);
    const chunk = await readChunk(file).catch((cause: unknown) => {
      // Lines may already have been handed over: then only the rest is missing, and saying so is honest.
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
