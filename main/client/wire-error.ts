import { MnemisError } from '../../src/errors/index.ts';
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
