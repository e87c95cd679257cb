import { MnemisError } from './mnemis-error.ts';

/** A change breaks the graph's schema. */
export class InvalidChangeError extends MnemisError {
  static readonly code = 'invalid-change';

  constructor(what: string) {
    super({
      code: InvalidChangeError.code,
      message: `The change was refused: ${what}. Nothing was written.`,
    });
  }

  static override isInstance(value: unknown): value is InvalidChangeError {
    return MnemisError.isInstance(value) && value.code === InvalidChangeError.code;
  }
}
