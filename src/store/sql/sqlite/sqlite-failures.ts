import {
  DatabaseCorruptError,
  DiskFullError,
  MnemisError,
  StoreReadError,
  StoreWriteError,
} from '../../../errors/index.ts';

/** SQLite's messages name tables and columns, never values. */
export function asSqliteError(path: string, error: unknown, doing: 'open' | 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/disk is full|ENOSPC|EDQUOT|EFBIG/i.test(message)) return new DiskFullError(path, error);
  if (/not a database|malformed/i.test(message))
    return new DatabaseCorruptError(
      path,
      'it is an SQLite database, not a Mnemis database, or it is damaged',
      error,
    );
  if (doing === 'write') return new StoreWriteError(message, error);
  return new StoreReadError(message, error);
}
