import {
  DatabaseCorruptError,
  DiskFullError,
  MnemisError,
  StoreReadError,
  StoreWriteError,
} from '../../../errors/index.ts';
import { isDiskFull } from '../../../util/sqlite-file.ts';

/** SQLite's messages name tables and columns, never values. */
export function asSqliteError(path: string, error: unknown, doing: 'open' | 'read' | 'write'): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isDiskFull(path, error)) return new DiskFullError(path, error);
  if (/not a database/i.test(message))
    return new DatabaseCorruptError(path, 'it is not an SQLite database, or its beginning is damaged', error);
  if (/malformed/i.test(message))
    return new DatabaseCorruptError(path, 'it is a damaged SQLite database', error);
  if (doing === 'write') return new StoreWriteError(message, error);
  return new StoreReadError(message, error);
}
