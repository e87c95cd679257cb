import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** A process that was to serve the memory did not come to answer. */
export class EngineStartError extends MnemisError {
  static readonly code = 'engine-start';
  static override readonly isInstance = hasCode<EngineStartError>(EngineStartError.code);

  constructor() {
    super({
      code: EngineStartError.code,
      message:
        'The engine could not be started; memory is as it was. "mnemis server start" runs it in the foreground and says why.',
    });
  }
}
