import { MnemisError } from './mnemis-error.ts';

/** A model that was asked for is not on this machine, or not all of it. */
export class ModelMissingError extends MnemisError {
  static readonly code = 'model-missing';

  /** `missing`: paths of its files, for the message. */
  constructor(
    name: string,
    folder: string,
    missing: readonly string[] = [],
    command = `mnemis models pull ${name}`,
  ) {
    const lacking = missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`;
    super({
      code: ModelMissingError.code,
      message: `The model ${name} is not whole in ${folder}${lacking}; nothing was fetched or changed. Fetch it with: ${command}`,
    });
  }

  static override isInstance(value: unknown): value is ModelMissingError {
    return MnemisError.isInstance(value) && value.code === ModelMissingError.code;
  }
}
