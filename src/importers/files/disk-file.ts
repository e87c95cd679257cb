import { createReadStream } from 'node:fs';
import { unreadable } from '../unreadable.ts';
import { type ImportFile, shownName } from './import-file.ts';

const CHUNK_BYTES = 256 * 1024;

export function diskFile(path: string, about: Pick<ImportFile, 'name' | 'bytes' | 'modifiedAt'>): ImportFile {
  return { ...about, name: shownName(about.name), open: () => chunksOf(path) };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
