import { DiskFullError, MnemisError, ModelFilesError } from '../../errors/index.ts';

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** A failure of the file system as a typed error; errors that are typed already, and other people’s, stay. */
export function diskFailure(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (MnemisError.isInstance(error) || !(error instanceof Error && 'syscall' in error)) return error;
  if (FULL.includes(code)) return new DiskFullError(path, error, 'what was fetched before is kept');
  return new ModelFilesError(path, `the system refuses it (${code})`, { cause: error });
}
