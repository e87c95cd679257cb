import { MnemisError } from './mnemis-error.ts';

/** A recipe, format or data set of that name does not exist. */
export class UnknownNameError extends MnemisError {
  static readonly code = 'unknown-name';

  constructor(kind: string, name: string, known: readonly string[]) {
    super({
      code: UnknownNameError.code,
      message: `There is no ${kind} named ${JSON.stringify(name)}${known.length === 0 ? ', nor any other' : `; known: ${known.join(', ')}`}.`,
    });
  }

  static override isInstance(value: unknown): value is UnknownNameError {
    return MnemisError.isInstance(value) && value.code === UnknownNameError.code;
  }
}
