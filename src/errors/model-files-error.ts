import { MnemisError } from './mnemis-error.ts';

/** A model's folder could not be used as one. */
export class ModelFilesError extends MnemisError {
  static readonly code = 'model-files';

  /** `advice`: what to do about it, where that is not the usual. */
  constructor(
    path: string,
    reason: string,
    {
      advice = 'remove the cause, or set modelsFolder to another folder',
      cause,
    }: { advice?: string; cause?: unknown } = {},
  ) {
    super({
      code: ModelFilesError.code,
      message: `${path} cannot be used: ${reason}. What was there is kept; ${advice}.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ModelFilesError {
    return MnemisError.isInstance(value) && value.code === ModelFilesError.code;
  }
}
