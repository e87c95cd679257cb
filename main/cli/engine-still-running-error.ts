import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** An engine that was told to end has not done so for a long time. */
export class EngineStillRunningError extends MnemisError {
  static readonly code = 'engine-still-running';
  static override readonly isInstance = hasCode<EngineStillRunningError>(EngineStillRunningError.code);

  constructor(pid: number) {
    super({
      code: EngineStillRunningError.code,
      message: `The engine with pid ${pid} was told to end and is still at work; what it acknowledged is stored. Wait, or end the process.`,
    });
  }
}
