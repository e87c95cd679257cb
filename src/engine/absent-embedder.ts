import { InvalidInputError } from '../errors/index.ts';
import type { Embedder } from '../inference/embedder.ts';
import type { EmbeddingFingerprint } from '../model/embedding-fingerprint.ts';

/** What a memory without vectors has; never written to it. */
const NO_VECTORS: EmbeddingFingerprint = { model: 'none', dimension: 1 };

/** Stands in for the embedder of a memory that was opened without one, and gives no vector. */
export class AbsentEmbedder implements Embedder {
  readonly fingerprint: EmbeddingFingerprint;

  constructor(fingerprint: EmbeddingFingerprint | null) {
    this.fingerprint = fingerprint ?? NO_VECTORS;
  }

  embed(): Promise<never> {
    return Promise.reject(
      new InvalidInputError('The memory was opened without an embedder, which this needs; open it with one'),
    );
  }
}
