/**
 * Options of every long call. When `signal` fires, the call stops at the next safe point and throws CancelledError,
 * whose message says what was kept; `changes` only ends.
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}
