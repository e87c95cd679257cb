import { MnemisError } from './mnemis-error.ts';

/** The account at a language model's provider has nothing left to spend; waiting does not help. */
export class ModelQuotaError extends MnemisError {
  static readonly code = 'model-quota';

  constructor(model: string) {
    super({
      code: ModelQuotaError.code,
      message: `The account that pays for ${model} has no quota left. What was done before is kept; add credit at the provider, then run it again.`,
    });
  }

  static override isInstance(value: unknown): value is ModelQuotaError {
    return MnemisError.isInstance(value) && value.code === ModelQuotaError.code;
  }
}
