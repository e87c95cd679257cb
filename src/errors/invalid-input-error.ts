import { MnemisError } from './mnemis-error.ts';

/** A caller's input does not fit its schema. */
export class InvalidInputError extends MnemisError {
  static readonly code = 'invalid-input';

  /** What does not fit, without what became of the memory. */
  readonly what: string;

  constructor(what: string, cause?: unknown) {
    super({ code: InvalidInputError.code, message: `${what}. Memory was not changed.`, cause });
    this.what = what;
  }

  static override isInstance(value: unknown): value is InvalidInputError {
    return MnemisError.isInstance(value) && value.code === InvalidInputError.code;
  }
}
