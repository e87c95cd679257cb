import { MnemisError } from './mnemis-error.ts';

/** The database refused a read. */
export class StoreReadError extends MnemisError {
  static readonly code = 'store-read';

  constructor(reason: string, cause?: unknown) {
    super({
      code: StoreReadError.code,
      message: `The memory could not be read (${reason}); nothing was changed. Run mnemis doctor to check the file.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is StoreReadError {
    return MnemisError.isInstance(value) && value.code === StoreReadError.code;
  }
}
