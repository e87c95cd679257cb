import { MnemisError } from './mnemis-error.ts';

/** A forgetting broke off after its first step. It is on record and completed at the next use; until then the rest is hidden. */
export class ForgettingStoppedError extends MnemisError {
  static readonly code = 'forgetting-stopped';

  constructor(done: number, total: number, cause?: unknown) {
    super({
      code: ForgettingStoppedError.code,
      message: `Forgetting stopped: ${done} of ${total} turns are gone. Nothing of the rest is shown any more; it is removed at the next use of the scope, or by "resume" (mnemis resume).`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ForgettingStoppedError {
    return MnemisError.isInstance(value) && value.code === ForgettingStoppedError.code;
  }
}
