import { ContextTooLongError, MalformedReplyError } from '../../errors/index.ts';

/** Whether a call failed because it asks for too much at once, so that less may do. */
export function isTooLong(error: unknown): boolean {
  return ContextTooLongError.isInstance(error) || (MalformedReplyError.isInstance(error) && error.truncated);
}
