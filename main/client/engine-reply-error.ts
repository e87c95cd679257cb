import { MnemisError } from '../../src/errors/index.ts';

/** What answers is no engine, or one of another version. */
export class EngineReplyError extends MnemisError {
  static readonly code = 'engine-reply';

  constructor(cause?: unknown) {
    super({
      code: EngineReplyError.code,
      message:
        'The engine’s reply is not one that this version knows; what it acknowledged is stored. Stop it with "mnemis server stop", so that one of this version is started.',
      cause,
    });
  }

  static override isInstance(value: unknown): value is EngineReplyError {
    return MnemisError.isInstance(value) && value.code === EngineReplyError.code;
  }
}
