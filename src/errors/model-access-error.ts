import { MnemisError } from './mnemis-error.ts';

/** The hub gives a model only to those who accepted its licence, or has no such model. */
export class ModelAccessError extends MnemisError {
  static readonly code = 'model-access';

  constructor(repository: string, status: number) {
    super({
      code: ModelAccessError.code,
      message: `The hub does not give out ${repository} (HTTP ${status}): either its licence has to be accepted there, and a token of that account given in the environment variable HF_TOKEN (a mirror gets none), or it is not there. Files that were fetched whole are kept.`,
    });
  }

  static override isInstance(value: unknown): value is ModelAccessError {
    return MnemisError.isInstance(value) && value.code === ModelAccessError.code;
  }
}
