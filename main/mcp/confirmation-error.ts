import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** What was to be forgotten is not what somebody was shown. */
export class ConfirmationError extends MnemisError {
  static readonly code = 'not-confirmed';
  static override readonly isInstance = hasCode<ConfirmationError>(ConfirmationError.code);

  constructor() {
    super({
      code: ConfirmationError.code,
      message:
        'This confirmation is not one for this: it is too old, was given for something else or by another server, or memory has changed since. Nothing was forgotten. Call forget_preview again and show the user what it says.',
    });
  }
}
