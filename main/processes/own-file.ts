import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Reads a file with secrets. Ignores a link, and a file that another user owns or could read or write.
 *
 * @returns null if there is no file, or none to trust.
 */
export async function readOwnFile(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null);
  if (file === null) return null;
  try {
    const { uid, mode } = await file.stat();
    const self = process.getuid?.();
    // Windows has neither uid nor mode; its data folder belongs to the user.
    const isOwn = self === undefined || (uid === self && (mode & 0o077) === 0);
    return isOwn ? await file.readFile('utf8') : null;
  } finally {
    await file.close();
  }
}

/** Replaces a file with secrets at once; it is on disk when this resolves. Rejects with the system's error. */
export async function replaceOwnFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
