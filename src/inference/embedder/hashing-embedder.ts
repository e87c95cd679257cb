import { InvalidInputError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { addHashedTerm, embedTerms } from './embed-terms.ts';

export interface HashingEmbedderOptions {
  /** From 16 to 4096; more dimensions, fewer collisions. */
  readonly dimension?: number;
  readonly analyze: (text: string) => readonly string[];
}

/**
 * Signed feature hashing (Weinberger et al. 2009) of index terms and their character 3- to 5-grams: vectors
 * without weights, downloads or a vocabulary. Equal and similarly spelled words meet; synonyms do not.
 */
export class HashingEmbedder implements Embedder {
  readonly meaning = 'words';
  readonly fingerprint: EmbeddingFingerprint;
  readonly #analyze: (text: string) => readonly string[];

  /** @throws InvalidInputError */
  constructor(options: HashingEmbedderOptions) {
    const { dimension = 256, analyze }: Partial<HashingEmbedderOptions> = options ?? {}; // callers without types
    if (typeof analyze !== 'function')
      throw new InvalidInputError(
        'The hashing embedder needs "analyze", a function that splits a text into terms; the package exports one: new HashingEmbedder({ analyze })',
      );
    if (!Number.isInteger(dimension) || dimension < 16 || dimension > 4096)
      throw new InvalidInputError(
        'The dimension of the hashing embedder must be a whole number from 16 to 4096',
      );
    this.fingerprint = { model: 'hashing-v1', dimension };
    this.#analyze = analyze;
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    const { dimension } = this.fingerprint;
    return embedTerms(texts, signal, { dimension, analyze: this.#analyze, addTerm: addHashedTerm });
  }
}
