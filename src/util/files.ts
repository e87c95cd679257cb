import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { HERE } from './at-run-time.ts';

/**
 * Creates a folder and its parents one by one, because the recursive mkdir of Node.js never returns where nothing can
 * be created, as in /proc. Rejects with the system's error.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = dirname(folder);
    if (code === 'ENOENT' && parent !== folder && !(await isFolder(parent))) {
      await makeFolder(parent);
      return makeFolder(folder);
    }
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/**
 * Reads a small state file. A missing or damaged file, or one of another version, counts as none, because state files
 * only save work.
 */
export function readStateFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): z.infer<Schema> | null {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Replaces the file at once; false if it cannot be written. Synchronous, so that two writers cannot interleave. */
export function writeStateFile(path: string, value: unknown): boolean {
  const part = `${path}.${process.pid}.part`;
  try {
    makeStateFolder(dirname(path));
    writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(part, path);
    return true;
  } catch {
    rmSync(part, { force: true });
    return false;
  }
}

/** As `makeFolder`, but synchronous. */
export function makeStateFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeStateFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Names the folder of the package's own files, where a bundle lies apart from them. */
export const DATA_VARIABLE = 'MNEMIS_DATA';

/**
 * Path of a file that ships with the package, by its path from the package's folder: in the folder that `MNEMIS_DATA`
 * names, else above this code, from source and from a build. A bundle finds the package as it is installed above itself
 * or above the working folder.
 */
export function packageFile(path: string): string | null {
  const named = process.env[DATA_VARIABLE];
  if (named) return existing(join(named, path));
  const own = HERE.startsWith('file:') ? fileURLToPath(HERE) : HERE;
  for (const start of [own, join(process.cwd(), 'any')])
    for (let folder = dirname(start); folder !== dirname(folder); folder = dirname(folder)) {
      const ours = start === own ? existing(join(folder, path)) : null;
      const found = ours ?? existing(join(folder, 'node_modules/mnemis', path));
      if (found !== null) return found;
    }
  return null;
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null;
}

/** The variables that move the data folder; without them it is in the user's home. */
interface DataFolderVariables {
  readonly LOCALAPPDATA?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
}

/** The folder for a user's data on this system. */
export function dataFolder({ LOCALAPPDATA, XDG_DATA_HOME }: DataFolderVariables = {}): string {
  if (process.platform === 'win32')
    return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'mnemis');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'mnemis');
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'mnemis');
}

/** The default folder of models. */
export function modelsFolderIn(variables: DataFolderVariables = {}): string {
  return join(dataFolder(variables), 'models');
}

/** Names of the files in a folder; empty if the folder does not exist. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}

/** Writes the names in a folder to disk. Windows cannot open a folder and does not need this. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
