import { lstat, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { InvalidInputError, ModelFilesError } from '../../errors/index.ts';
import { PARTS_FOLDER } from './fetch-file.ts';
import { digestsOf, diskFailure, MANIFEST_FILE, type ModelManifest, readManifest } from './model-folder.ts';
import { modelName } from './model-origin.ts';
import { isBeingPulled, LOCK_FILE } from './pull-lock.ts';

/** Where a model’s files are. @throws InvalidInputError for a name that could lead elsewhere. */
export function modelHome(folder: string, name: string): string {
  const parsed = modelName.safeParse(name);
  if (!parsed.success)
    throw new InvalidInputError('A model’s name must be a plain name, without slashes or a precision');
  return join(folder, parsed.data);
}

/** Names of the folders with a pulled model, known to this version or not: they can be verified and removed. */
export async function pulledModels(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const pulled = await Promise.all(
    names.map(
      async (name) =>
        modelName.safeParse(name).success && (await sizeOf(join(folder, name, MANIFEST_FILE))) !== null,
    ),
  );
  return names.filter((_, index) => pulled[index]).sort();
}

/**
 * The files that are missing or have another size than the manifest states. Files that were placed by hand,
 * without a manifest, may also lie side by side.
 */
export async function missingFiles(home: string, files: readonly string[]): Promise<string[]> {
  const manifest = await readManifest(home);
  const stated = new Map(manifest?.files.map(({ path, bytes }) => [path, bytes]));
  const present = await Promise.all(
    files.map(async (path) => {
      const bytes = await sizeOf(join(home, path));
      if (stated.has(path)) return bytes === stated.get(path);
      return bytes !== null || (await sizeOf(join(home, basename(path)))) !== null;
    }),
  );
  return files.filter((_, index) => !present[index]);
}

export interface FileFinding {
  readonly path: string;
  readonly state: 'whole' | 'missing' | 'changed';
}

/**
 * Compares every file with the manifest’s checksum, offline. Null for a model that was placed by hand,
 * without a manifest.
 *
 * @throws ModelFilesError where a pull was interrupted, or files cannot be read.
 */
export async function verifyModel(
  home: string,
  signal?: AbortSignal,
): Promise<readonly FileFinding[] | null> {
  const manifest = await readManifest(home);
  if (manifest === null) {
    if (!(await lstat(join(home, PARTS_FOLDER)).catch(() => null))?.isDirectory()) return null;
    throw new ModelFilesError(home, 'it was not fetched to its end', {
      advice: `fetch the rest with: mnemis models pull ${basename(home)}`,
    });
  }
  const findings: FileFinding[] = [];
  for (const file of manifest.files) {
    const path = join(home, file.path);
    const found = await digestsOf(path, signal).catch((error: unknown) => {
      throw diskFailure(path, error);
    });
    const state = found === null ? 'missing' : found.sha256 === file.sha256 ? 'whole' : 'changed';
    findings.push({ path: file.path, state });
  }
  return findings;
}

export interface Removal {
  readonly bytes: number;
  /** False for the files of an interrupted pull. */
  readonly whole: boolean;
  /** Files in the folder that no pull created; they stay. */
  readonly left: readonly string[];
}

/**
 * Removes the files that pulls created in a model’s folder and those named by `extra`, and the folder if it
 * is then empty.
 *
 * @throws ModelFilesError for a folder without a model, or a link to one.
 */
export async function removeModel(home: string, extra: readonly string[] = []): Promise<Removal> {
  const found = await lstat(home).catch(() => null);
  if (found === null || !found.isDirectory())
    throw new ModelFilesError(home, 'there is no folder of a model');
  const manifest = await readManifest(home);
  const names = await readdir(home);
  if (manifest === null && !names.includes(PARTS_FOLDER))
    throw new ModelFilesError(home, `no pull made it, for it has no ${MANIFEST_FILE}`, {
      advice: 'delete the folder yourself if you no longer need it',
    });
  if (await isBeingPulled(home))
    throw new ModelFilesError(home, 'the model is being fetched at this moment', {
      advice: 'stop that, or wait for its end',
    });
  try {
    return await removeOwn(home, manifest, extra);
  } catch (error) {
    throw diskFailure(home, error);
  }
}

async function removeOwn(
  home: string,
  manifest: ModelManifest | null,
  extra: readonly string[],
): Promise<Removal> {
  const before = await filesIn(home);
  const paths = manifest?.files.map(({ path }) => path) ?? [];
  for (const path of [...paths, ...extra, MANIFEST_FILE, LOCK_FILE])
    await rm(join(home, path), { force: true });
  await rm(join(home, PARTS_FOLDER), { recursive: true, force: true });
  for (const folder of foldersOf(paths)) await rmdir(join(home, folder)).catch(() => undefined);
  await rmdir(home).catch(() => undefined);
  const after = new Set((await filesIn(home)).map(({ path }) => path));
  const bytes = before.filter(({ path }) => !after.has(path)).reduce((sum, file) => sum + file.bytes, 0);
  return { bytes, whole: manifest !== null, left: [...after].sort() };
}

/** Deepest first. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return [...folders].sort((a, b) => b.length - a.length);
}

async function filesIn(home: string): Promise<{ path: string; bytes: number }[]> {
  const names = await readdir(home, { recursive: true }).catch(() => []);
  const stats = await Promise.all(names.map((name) => lstat(join(home, name)).catch(() => null)));
  return names.flatMap((name, index) => {
    const found = stats[index];
    return !found || found.isDirectory() ? [] : [{ path: name.replaceAll(sep, '/'), bytes: found.size }];
  });
}

/** Null unless it is a file. */
async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}
