import {
  DatabaseCorruptError,
  DatabaseLockedError,
  DiskFullError,
  InvalidChangeError,
  MnemisError,
  StoreReadError,
  StoreWriteError,
} from '../../errors/index.ts';

/** Kùzu's failures differ only in their messages; some quote values, so no message is passed on whole. */
export function asOpenError(path: string, error: unknown): MnemisError {
  const message = messageOf(error);
  if (MnemisError.isInstance(error)) return error;
  if (isFull(error)) return new DiskFullError(path, error);
  if (/could not set lock/i.test(message))
    return new DatabaseLockedError(path, 'another process', { cause: error });
  if (/permission denied|cannot open file|EACCES|EROFS|ENOENT|read-only file/i.test(message))
    return new StoreReadError('the file cannot be opened; check its folder and its permissions', error);
  if (/different version/i.test(message))
    return new DatabaseCorruptError(path, 'another version of the database engine wrote it', error);
  if (/mmap|buffer manager/i.test(message))
    return new StoreReadError('there is not enough memory to open it', error);
  return new DatabaseCorruptError(path, 'the database engine cannot read it', error);
}

export function asWriteError(path: string, error: unknown): MnemisError {
  if (MnemisError.isInstance(error)) return error;
  if (isFull(error)) return new DiskFullError(path, error);
  if (/duplicated primary key/i.test(messageOf(error)))
    return new InvalidChangeError('an id is already taken');
  return new StoreWriteError(kindOf(error), scrubbed(error));
}

export function asReadError(error: unknown): MnemisError {
  return MnemisError.isInstance(error) ? error : new StoreReadError(kindOf(error), scrubbed(error));
}

/**
 * Kùzu reports a partial write as a failure with "Success". EFBIG is the error of a process limit on file sizes; it is
 * handled in the same way.
 */
export function isFull(error: unknown): boolean {
  return /no space left|file too large|disk quota|ENOSPC|EFBIG|EDQUOT|Cannot write to file.*Error: Success/i.test(
    messageOf(error),
  );
}

/** Whether the page cache has no room for what a statement needs at once. */
export function isPoolFull(error: unknown): boolean {
  return /buffer pool is full/i.test(messageOf(error));
}

/** "Buffer manager exception", "IO exception", …: the part before Kùzu's first colon. */
function kindOf(error: unknown): string {
  if (isPoolFull(error)) return 'the database ran out of memory; open it again with a larger bufferPoolMb';
  return /^[A-Z][A-Za-z ]{2,40} exception/.exec(messageOf(error))?.[0] ?? 'the database engine failed';
}

/** Kùzu quotes values in some messages; an error must not contain the user's text. */
function scrubbed(error: unknown): unknown {
  return /^(Buffer manager|IO|Parser|Binder|Catalog|Checkpoint)/i.test(messageOf(error)) ? error : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
