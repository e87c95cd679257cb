import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { sealPath, shadowPath, sizeOf, walPath } from './file-set.ts';
import type { Seal } from './seal.ts';

/** Where the new file of a compaction is made. What a kill leaves of one is removed at the next open. */
export const replacementPath = (path: string): string => `${path}.compacting`;

export function dropReplacement(path: string): void {
  const replacement = replacementPath(path);
  rmSync(replacement, { force: true });
  dropBeside(replacement);
  rmSync(`${replacement}.lock`, { force: true });
}

/**
 * Puts a closed, checkpointed database file in the place of another one, whose log is folded in. Whenever the process
 * is killed, the old file is there or the new one, and the seal fits both: it asks for what either has.
 */
export function putInPlace(path: string, replacement: string, seal: Seal): void {
  const databaseBytes = Math.min(sizeOf(path), sizeOf(replacement));
  dropBeside(replacement);
  seal.write({ state: 'settled', databaseBytes, walBytes: 0, walCrc: 0 });
  // Empty, as the caller says; Kùzu would replay what it holds into the new file (defect 11).
  rmSync(walPath(path), { force: true });
  rmSync(shadowPath(path), { force: true });
  syncFolder(dirname(path));
  renameSync(replacement, path);
  syncFolder(dirname(path));
}

function dropBeside(path: string): void {
  for (const beside of [walPath(path), shadowPath(path), sealPath(path)]) rmSync(beside, { force: true });
}

/** Windows cannot open a folder and needs no such thing. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
