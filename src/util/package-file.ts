import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file that ships with the package, by its path from the package's folder, whether run from source or built. */
export function packageFile(path: string): string | null {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, path))) return join(folder, path);
  return null;
}
