import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { z } from 'zod';

/**
 * Folder by folder: the recursive mkdir of Node.js spins for ever where nothing can be made, as in /proc. Rejects with
 * the system’s error.
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
 * A small file of our own. Reading is forgiving: a file that is missing, damaged or of another version counts as
 * none, because all that such a file does is spare work.
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

/** Replaces the file at once; false where nothing can be written. Synchronous, so that two writers cannot mix. */
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

/** Folder by folder: the recursive mkdir of Node.js spins for ever where nothing can be made, as in /proc. */
function makeStateFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeStateFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** A file that ships with the package, by its path from the package's folder, whether run from source or built. */
export function packageFile(path: string): string | null {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, path))) return join(folder, path);
  return null;
}

/** The variables that move it; without them it lies in the user’s home. */
interface DataFolderVariables {
  readonly LOCALAPPDATA?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
}

/** Where a user’s data belongs on this system. */
export function dataFolder({ LOCALAPPDATA, XDG_DATA_HOME }: DataFolderVariables = {}): string {
  if (process.platform === 'win32')
    return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'mnemis');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'mnemis');
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'mnemis');
}

/** Where models are kept unless another folder is named. */
export function modelsFolderIn(variables: DataFolderVariables = {}): string {
  return join(dataFolder(variables), 'models');
}

/** Names of the files in a folder; none for one that is not there. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
}
