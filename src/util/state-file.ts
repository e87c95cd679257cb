import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

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
    makeFolder(dirname(path));
    writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(part, path);
    return true;
  } catch {
    rmSync(part, { force: true });
    return false;
  }
}

/** Folder by folder: the recursive mkdir of Node.js spins for ever where nothing can be made, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
