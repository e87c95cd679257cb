import { PackageMissingError } from './index.ts';

/**
 * Loads a module of optional packages.
 *
 * @param packages - Their names, separated by spaces.
 * @throws PackageMissingError where one is not installed.
 */
export async function loadOptional<T>(purpose: string, packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new PackageMissingError(purpose, packages, { cause });
  }
}
