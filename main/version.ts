import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../src/util/files.ts';

/** The package's version, from source or from the build. */
export function mnemisVersion(): string {
  const file = packageFile('package.json');
  if (file === null) return 'unknown';
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
