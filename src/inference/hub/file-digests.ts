import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Digest } from './model-origin.ts';

export interface FileDigests {
  readonly bytes: number;
  readonly sha256: string;
  readonly gitBlob: string;
}

/** Reads the file back from the disk: what is hashed is what will be loaded. */
export async function digestsOf(path: string, signal?: AbortSignal): Promise<FileDigests> {
  const { size } = await stat(path);
  const sha256 = createHash('sha256');
  const gitBlob = createHash('sha1').update(`blob ${size}\0`);
  let bytes = 0;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 2 ** 20 })) {
    sha256.update(chunk);
    gitBlob.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: sha256.digest('hex'), gitBlob: gitBlob.digest('hex') };
}

/** Anything fits where the origin states nothing. */
export function fits(found: FileDigests, stated: Digest | null): boolean {
  if (stated === null) return true;
  return stated.hex === (stated.kind === 'sha256' ? found.sha256 : found.gitBlob);
}
