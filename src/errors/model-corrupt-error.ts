import { MnemisError } from './mnemis-error.ts';

/** A file of a model is not what the place it came from says it is. */
export class ModelCorruptError extends MnemisError {
  static readonly code = 'model-corrupt';

  constructor(file: string, finding: string) {
    super({
      code: ModelCorruptError.code,
      message: `${file} is not what was published: ${finding}. It was thrown away, the model’s other files are kept; fetch it again, and if that ends alike, choose another mirror.`,
    });
  }

  static override isInstance(value: unknown): value is ModelCorruptError {
    return MnemisError.isInstance(value) && value.code === ModelCorruptError.code;
  }
}
