import { MnemisError } from './mnemis-error.ts';

/** A model's files are there but cannot be used: damaged, of another model, or of a shape that its profile does not describe. */
export class ModelFaultError extends MnemisError {
  static readonly code = 'model-fault';

  constructor(model: string, what: string, cause?: unknown) {
    super({
      code: ModelFaultError.code,
      message: `The model ${model} cannot be used: ${what}. Memory was not changed; check its files with: mnemis models verify ${model}`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ModelFaultError {
    return MnemisError.isInstance(value) && value.code === ModelFaultError.code;
  }
}
