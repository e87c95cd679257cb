import { hasCode, MnemisError } from '../../errors/mnemis-error.ts';

/** A run that one user began is gone on with for another. */
export class ForeignRunError extends MnemisError {
  static readonly code = 'foreign-run';
  static override readonly isInstance = hasCode<ForeignRunError>(ForeignRunError.code);

  constructor() {
    super({
      code: ForeignRunError.code,
      message:
        'The run was begun for another user than the one it is resumed for, so no memory was read and nothing was remembered. Resume it with the userId that it was begun with.',
    });
  }
}
