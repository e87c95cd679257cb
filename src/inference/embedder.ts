import { CancelledError } from '../errors/index.ts';
import type { EmbeddingFingerprint } from '../model/nodes.ts';

/** What the texts of one call of `embed` are, so that a question is not embedded as if it were said by somebody. */
export interface EmbedOptions {
  /** Some models embed questions and passages differently. */
  readonly as: 'query' | 'passage';
  readonly signal?: AbortSignal | undefined;
}

/** Turns texts into vectors. Implementations pass `test/contract/embedder.ts`. */
export interface Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  /**
   * One vector of `fingerprint.dimension` numbers per text, in order; unit length, or all zero without features.
   *
   * @throws CancelledError when the signal fires.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** Between two pieces of an embedder's work. @throws CancelledError */
export function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
}
