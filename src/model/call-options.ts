/**
 * What every long call takes. When `signal` fires it stops at the next safe point and throws CancelledError, whose
 * message says what was kept; `changes` just ends.
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}
