import { MnemisError } from '../../src/errors/index.ts';
import { hasCode } from '../../src/errors/mnemis-error.ts';
import { type WireError, wireErrorSchema } from '../contract.ts';

export const INTERNAL = 'internal';

/** An engine of another process has failed: its code and its words. */
export class EngineError extends MnemisError {
  constructor(error: WireError) {
    super(error);
  }
}

/** What of an error may leave the process: never the message of one that is not ours, which may quote a turn. */
export function toWire(error: unknown): WireError {
  if (MnemisError.isInstance(error)) return { code: error.code, message: error.message };
  return {
    code: INTERNAL,
    message:
      'Something failed in the engine that should not. What was acknowledged is stored; the engine’s own output says more.',
  };
}

/** The error that a reply carries; null where it carries none. */
export function fromWire(value: unknown): EngineError | null {
  const parsed = wireErrorSchema.safeParse(value);
  return parsed.success ? new EngineError(parsed.data) : null;
}

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
