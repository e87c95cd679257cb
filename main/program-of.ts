import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { BundledFileError } from '../src/errors/index.ts';
import { HERE } from '../src/util/at-run-time.ts';
import { packageFile } from '../src/util/files.ts';

/**
 * Node's arguments for a program of this package, by its path without an ending: from source, it needs the loader of
 * TypeScript; a build is bundled.
 */
export function programOf(path: string): readonly string[] {
  if (!HERE.endsWith('.ts')) {
    const file = packageFile(`dist/${path}.js`);
    if (file === null) throw new BundledFileError(`dist/${path}.js`, 'is missing');
    return [file];
  }
  const loader = createRequire(import.meta.url).resolve('tsx'); // independent of the working directory
  return ['--import', pathToFileURL(loader).href, packageFile(`${path}.ts`)!];
}
