import { MnemisError } from './mnemis-error.ts';

/** The database refused a write and rolled it back. */
export class StoreWriteError extends MnemisError {
  static readonly code = 'store-write';

  constructor(reason: string, cause?: unknown) {
    super({
      code: StoreWriteError.code,
      message: `Nothing of this write was stored (${reason}); everything acknowledged before is kept. Remove the cause and try again.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is StoreWriteError {
    return MnemisError.isInstance(value) && value.code === StoreWriteError.code;
  }
}
