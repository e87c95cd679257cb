import { MnemisError } from './mnemis-error.ts';

/** A model was asked after it was closed. */
export class ModelClosedError extends MnemisError {
  static readonly code = 'model-closed';

  constructor(model: string, cause?: unknown) {
    super({
      code: ModelClosedError.code,
      message: `The model ${model} was closed before this call ended; nothing of the call was kept. Load it again.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ModelClosedError {
    return MnemisError.isInstance(value) && value.code === ModelClosedError.code;
  }
}
