import { MnemisError } from './mnemis-error.ts';

/** A caller's input does not fit its schema. */
export class InvalidInputError extends MnemisError {
  static readonly code = 'invalid-input';

  constructor(what: string, cause?: unknown) {
    super({ code: InvalidInputError.code, message: `${what}. Memory was not changed.`, cause });
  }

  static override isInstance(value: unknown): value is InvalidInputError {
    return MnemisError.isInstance(value) && value.code === InvalidInputError.code;
  }
}
