import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { CancelledError } from '../../errors/index.ts';

const CHUNK = 2 ** 20;

export interface FileHash {
  readonly bytes: number;
  readonly sha256: string;
}

/** @throws CancelledError, or the system's error. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<FileHash> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
