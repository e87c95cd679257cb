import { MnemisError } from './mnemis-error.ts';

/** The file is not a whole Mnemis database. */
export class DatabaseCorruptError extends MnemisError {
  static readonly code = 'database-corrupt';

  constructor(path: string, finding: string, cause?: unknown) {
    super({
      code: DatabaseCorruptError.code,
      message: `${path} cannot be opened as a memory: ${finding}. It was left as it is; restore a backup or choose another file.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is DatabaseCorruptError {
    return MnemisError.isInstance(value) && value.code === DatabaseCorruptError.code;
  }
}
