import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelFilesError } from '../../errors/index.ts';
import { modelName, safePath } from './model-source.ts';

/** Beside a model’s files: where they come from and what they are, so that they can be checked without a network. */
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
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new ModelFilesError(path, `it cannot be read (${code})`, { cause });
  }
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ModelFilesError(path, 'it is no manifest of a model');
  return parsed.data;
}

/** Whole or not at all. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
