import { MnemisError } from '../../src/errors/index.ts';
import { defineError } from '../../src/errors/mnemis-error.ts';
import { type ErrorReason, errorReasonSchema, type WireError, wireErrorSchema } from '../contract.ts';

export const INTERNAL = 'internal';

/** An error of an engine in another process, with its code and message. */
export class EngineError extends MnemisError {
  readonly reason: ErrorReason | undefined;

  constructor(error: WireError) {
    super(error);
    this.reason = error.reason;
  }
}

/** The part of an error that may leave the process: never the message of a foreign error, which may quote a turn. */
export function toWire(error: unknown): WireError {
  if (MnemisError.isInstance(error)) {
    const reason = errorReasonSchema.safeParse('reason' in error ? error.reason : undefined).data;
    return { code: error.code, message: error.message, ...(reason !== undefined && { reason }) };
  }
  return {
    code: INTERNAL,
    message:
      'Internal error in the engine. Everything acknowledged is stored; the engine’s own output has details.',
  };
}

/** The error in a reply; null if there is none. */
export function fromWire(value: unknown): EngineError | null {
  const parsed = wireErrorSchema.safeParse(value);
  return parsed.success ? new EngineError(parsed.data) : null;
}

/** The reply is not from an engine, or from an engine of another version. */
export class EngineReplyError extends defineError('engine-reply', (cause?: unknown) => ({
  message:
    'The engine’s reply is not one that this version knows; what it acknowledged is stored. Stop it with "mnemis server stop", so that one of this version is started.',
  cause,
})) {}

/** No engine could be started to serve a memory; `message` says why and what to do. */
export class EngineStartError extends defineError('engine-start', () => ({
  message:
    'The engine could not be started; memory is unchanged. "mnemis server start" runs it in the foreground and says why.',
})) {}

/** The engine's process does not reply, or disconnected before its reply was complete. */
export class EngineUnreachableError extends defineError(
  'engine-unreachable',
  (isSent: boolean, cause?: unknown) => {
    const what = isSent
      ? 'The engine broke off before it had replied; what it acknowledged is stored, and the last request may or may not have been carried out'
      : 'The engine does not answer; nothing was asked of it';
    return {
      message: `${what}. "mnemis server status" shows whether it runs.`,
      cause,

      /** Whether the engine may have received the request; if not, a retry is safe. */
      isSent,
    };
  },
) {}
