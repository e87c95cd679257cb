import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** A command needs the memory's file for itself, and an engine serves it. */
export class EngineRunningError extends MnemisError {
  static readonly code = 'engine-running';
  static override readonly isInstance = hasCode<EngineRunningError>(EngineRunningError.code);

  constructor(path: string, pid: number, cause?: unknown) {
    super({
      code: EngineRunningError.code,
      message: `${path} is served by the engine with pid ${pid}, and this command needs the file for itself; nothing was changed. End the engine with "mnemis server stop" and try again.`,
      cause,
    });
  }
}
