import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';

/** The process with the engine does not answer, or broke off before its reply was complete. */
export class EngineUnreachableError extends MnemisError {
  static readonly code = 'engine-unreachable';
  static override readonly isInstance = hasCode<EngineUnreachableError>(EngineUnreachableError.code);

  /** Whether the engine may have got the request: if not, asking again does nothing twice. */
  readonly isSent: boolean;

  constructor(isSent: boolean, cause?: unknown) {
    const what = isSent
      ? 'The engine broke off before it had replied; what it acknowledged is stored, and the last request may or may not have been carried out'
      : 'The engine does not answer; nothing was asked of it';
    super({
      code: EngineUnreachableError.code,
      message: `${what}. "mnemis server status" shows whether it runs.`,
      cause,
    });
    this.isSent = isSent;
  }
}
