import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DiskFullError, MnemisError, ModelFilesError } from '../../errors/index.ts';
import { type Digest, modelName, safePath } from './model-origin.ts';

/** Lies beside a model’s files and states their origin and checksums, so that they can be verified offline. */
export const MANIFEST_FILE = 'mnemis-model.json';

const manifestSchema = z.object({
  format: z.literal('mnemis-model'),
  version: z.literal(1),
  name: modelName,
  repository: z.string(),
  revision: z.string(),
  commit: z.string().nullable(),
  files: z.array(
    z.object({
      path: safePath,
      bytes: z.number().int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/**
 * What a pull brought: where the files come from (`commit` is null where the origin does not say), and of each its
 * path in the model's folder, size in bytes and SHA-256 in hexadecimal. It lies beside them as `mnemis-model.json`.
 */
export type ModelManifest = z.infer<typeof manifestSchema>;
export type StoredFile = ModelManifest['files'][number];

/** Null where the folder has none. @throws ModelFilesError when it cannot be read or is no manifest. */
export async function readManifest(folder: string): Promise<ModelManifest | null> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (isMissing(cause)) return null;
    throw new ModelFilesError(path, `it cannot be read (${cause.code ?? ''})`, { cause });
  });
  if (text === null) return null;
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ModelFilesError(path, 'it is no manifest of a model');
  return parsed.data;
}

/** Atomic: a reader finds the old manifest or the new one. */
export async function writeManifest(folder: string, manifest: ModelManifest): Promise<void> {
  const path = join(folder, MANIFEST_FILE);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Null for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export interface FileDigests {
  readonly bytes: number;
  readonly sha256: string;
  readonly gitBlob: string;
}

/** Hashes the file as it is on disk, which is what will be loaded. Null for a missing file. */
export async function digestsOf(path: string, signal?: AbortSignal): Promise<FileDigests | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null) return null;
  const sha256 = createHash('sha256');
  const gitBlob = createHash('sha1').update(`blob ${found.size}\0`);
  let bytes = 0;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 2 ** 20 })) {
    sha256.update(chunk);
    gitBlob.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: sha256.digest('hex'), gitBlob: gitBlob.digest('hex') };
}

/** Whether the file has the stated checksum; true where the origin states none. */
export function fits(found: FileDigests, stated: Digest | null): boolean {
  if (stated === null) return true;
  return stated.hex === (stated.kind === 'sha256' ? found.sha256 : found.gitBlob);
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Makes a failure of the file system a typed error; returns every other error as it is. */
export function diskFailure(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (MnemisError.isInstance(error) || !(error instanceof Error && 'syscall' in error)) return error;
  if (FULL.includes(code)) return new DiskFullError(path, error, 'what was fetched before is kept');
  return new ModelFilesError(path, `the system refuses it (${code})`, { cause: error });
}
