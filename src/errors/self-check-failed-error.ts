import { MnemisError } from './mnemis-error.ts';

/** A model put sentences of known order into another order: its weights, files or settings are not what its profile says. */
export class SelfCheckFailedError extends MnemisError {
  static readonly code = 'self-check-failed';

  constructor(model: string, wrong: number, checks: number, cause?: unknown) {
    super({
      code: SelfCheckFailedError.code,
      message: `The model ${model} failed ${wrong} of ${checks} self-checks, so its results cannot be trusted; it was not loaded. Fetch it again with: mnemis models pull ${model}`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is SelfCheckFailedError {
    return MnemisError.isInstance(value) && value.code === SelfCheckFailedError.code;
  }
}
