import { CancelledError } from '../errors/index.ts';
import type { EmbeddingFingerprint } from '../model/nodes.ts';

/** Whether the texts of one call of `embed` are questions or stored text, which models may embed differently. */
export interface EmbedOptions {
  /** `query` for a question, `passage` for text that is stored. */
  readonly as: 'query' | 'passage';
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a vector stands for, which decides how ranking reads its cosines. `words`: a sum of word vectors, near to a
 * question as soon as one word of a short text matches. `text`: what a trained encoder makes of a text as a whole.
 */
export type VectorMeaning = 'words' | 'text';

/** Turns texts into vectors. Implementations pass `test/contract/embedder.ts`. */
export interface Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  /** Default `text`. */
  readonly meaning?: VectorMeaning;
  /** Tokens of a text that its vector stands for; what is behind them it does not see. Default: all. */
  readonly maxTokens?: number;
  /**
   * One vector of `fingerprint.dimension` numbers per text, in order; unit length, or all zero without features.
   *
   * @throws CancelledError when the signal fires.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** What the vectors of an embedder stand for. */
export function meaningOf({ meaning = 'text' }: Pick<Embedder, 'meaning'>): VectorMeaning {
  return meaning;
}

/** Embedders call it between two pieces of work. @throws CancelledError */
export function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('what was done before is kept', signal.reason);
}
