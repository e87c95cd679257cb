import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removePrograms } from './child-program.ts';

/** Vitest's global setup: what tests leave in the folder for temporary files goes when all have run. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-tests-'));
  const run = basename(folder);
  process.env.TMPDIR = folder;
  process.env.MNEMIS_TEST_RUN = run;
  return () => {
    rmSync(folder, { recursive: true, force: true });
    removePrograms(run);
  };
}
