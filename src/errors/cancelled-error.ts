import { MnemisError } from './mnemis-error.ts';

/** The caller's AbortSignal fired; `kept` says what was stored before. */
export class CancelledError extends MnemisError {
  static readonly code = 'cancelled';

  constructor(kept: string, cause?: unknown) {
    super({ code: CancelledError.code, message: `Cancelled; ${kept}.`, cause });
  }

  static override isInstance(value: unknown): value is CancelledError {
    return MnemisError.isInstance(value) && value.code === CancelledError.code;
  }
}
