import { CancelledError } from '../errors/index.ts';

/** Between two pieces of an embedder's work. @throws CancelledError */
export function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
}
