import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** What answers is no engine, or one of another version. */
export class EngineReplyError extends MnemisError {
  static readonly code = 'engine-reply';
  static override readonly isInstance = hasCode<EngineReplyError>(EngineReplyError.code);

  constructor(cause?: unknown) {
    super({
      code: EngineReplyError.code,
      message:
        'The engine’s reply is not one that this version knows; what it acknowledged is stored. Stop it with "mnemis server stop", so that one of this version is started.',
      cause,
    });
  }
}
