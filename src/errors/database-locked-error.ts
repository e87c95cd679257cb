import { MnemisError } from './mnemis-error.ts';

/** Another process, or another engine of this process, has the database open. */
export class DatabaseLockedError extends MnemisError {
  static readonly code = 'database-locked';

  constructor(path: string, holder: string, cause?: unknown) {
    super({
      code: DatabaseLockedError.code,
      message: `${path} is open elsewhere (${holder}); nothing was changed. Close it there, or choose another file.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is DatabaseLockedError {
    return MnemisError.isInstance(value) && value.code === DatabaseLockedError.code;
  }
}
