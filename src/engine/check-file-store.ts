import { PackageMissingError } from '../errors/index.ts';
import { loadKuzu } from '../store/kuzu/load-kuzu.ts';

/** Why no memory in a file can be opened here; null if one can. */
export function checkFileStore(): PackageMissingError | null {
  try {
    loadKuzu();
    return null;
  } catch (error) {
    if (PackageMissingError.isInstance(error)) return error;
    throw error;
  }
}
