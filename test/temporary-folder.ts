import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest's global setup: what tests leave in the folder for temporary files goes when all have run. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
