import { MnemisError } from './mnemis-error.ts';

/** No lock file can be made beside a database, so that it cannot even be read. */
export class FolderNotWritableError extends MnemisError {
  static readonly code = 'folder-not-writable';

  constructor(folder: string, reason: string, cause?: unknown) {
    super({
      code: FolderNotWritableError.code,
      message: `The folder ${folder} is not writable (${reason}); nothing was changed. Even reading a memory makes a lock file beside it: get the right to write there, or copy the memory to a folder of your own.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is FolderNotWritableError {
    return MnemisError.isInstance(value) && value.code === FolderNotWritableError.code;
  }
}
