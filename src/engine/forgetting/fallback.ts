import type { ForgetFallback } from '../../edit/forget/forget-event.ts';
import {
  CancelledError,
  DatabaseCorruptError,
  DatabaseLockedError,
  DiskFullError,
  MnemisError,
  StoreClosedError,
  StoreReadError,
  StoreWriteError,
} from '../../errors/index.ts';
import { placeOf } from '../../util/describe-issues.ts';

/** Failures of the storage, and cancellation: they are temporary, and a fallback would fail in the same way. */
const OUTSIDE = [
  CancelledError,
  DiskFullError,
  StoreReadError,
  StoreWriteError,
  StoreClosedError,
  DatabaseCorruptError,
  DatabaseLockedError,
];

export function isFromOutside(error: unknown): boolean {
  return OUTSIDE.some((kind) => kind.isInstance(error));
}

/** The message of a foreign error may contain the user's text: only its place is told. */
export function fallbackFor(step: ForgetFallback['step'], error: unknown): ForgetFallback {
  return { step, reason: MnemisError.isInstance(error) ? error.message : placeOf(error) };
}
