import { MnemisError } from './mnemis-error.ts';

/** A forgetting broke off after its first step. It is on record, and is completed before the scope is used again. */
export class ForgettingStoppedError extends MnemisError {
  static readonly code = 'forgetting-stopped';

  constructor(done: number, total: number, cause?: unknown) {
    super({
      code: ForgettingStoppedError.code,
      message: `Forgetting stopped: ${done} of ${total} turns are gone. The rest goes before the scope is next searched or written; "resume" (mnemis resume) does it, too.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ForgettingStoppedError {
    return MnemisError.isInstance(value) && value.code === ForgettingStoppedError.code;
  }
}
