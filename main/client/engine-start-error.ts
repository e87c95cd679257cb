import { MnemisError } from '../../src/errors/index.ts';

/** A process that was to serve the memory did not come to answer. */
export class EngineStartError extends MnemisError {
  static readonly code = 'engine-start';

  constructor() {
    super({
      code: EngineStartError.code,
      message:
        'The engine could not be started; memory is as it was. "mnemis server start" runs it in the foreground and says why.',
    });
  }

  static override isInstance(value: unknown): value is EngineStartError {
    return MnemisError.isInstance(value) && value.code === EngineStartError.code;
  }
}
