import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { packageFile } from '../src/util/files.ts';

/**
 * Node's arguments for a program of this package, by its path without an ending: from source, it needs the loader of
 * TypeScript; a build is bundled.
 */
export function programOf(path: string): readonly string[] {
  if (!import.meta.filename.endsWith('.ts')) return [packageFile(`dist/${path}.js`)!];
  const loader = createRequire(import.meta.url).resolve('tsx'); // independent of the working directory
  return ['--import', pathToFileURL(loader).href, packageFile(`${path}.ts`)!];
}
