import { MnemisError } from './mnemis-error.ts';

/** A model that comes with the package has no files to fetch, verify or remove. */
export class ModelBundledError extends MnemisError {
  static readonly code = 'model-bundled';

  constructor(name: string) {
    super({
      code: ModelBundledError.code,
      message: `The model ${name} comes with the package: there is nothing to fetch, verify or remove, and nothing was changed. Use it by its name.`,
    });
  }

  static override isInstance(value: unknown): value is ModelBundledError {
    return MnemisError.isInstance(value) && value.code === ModelBundledError.code;
  }
}
