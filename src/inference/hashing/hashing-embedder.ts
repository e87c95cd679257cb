import { InvalidInputError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import { countTerms, countTermsGradually, isLongText } from '../count-terms.ts';
import { embedEach } from '../embed-each.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { addHashedTerm } from './hash-term.ts';

export interface HashingEmbedderOptions {
  /** From 16 to 4096; more dimensions, fewer collisions. */
  readonly dimension?: number;
  /** Splits a text into index terms. */
  readonly analyze: (text: string) => readonly string[];
}

/**
 * Signed feature hashing (Weinberger et al. 2009) of index terms and their character 3- to 5-grams: vectors
 * without weights, downloads or a vocabulary. Equal and similarly spelled words meet; synonyms do not.
 */
export class HashingEmbedder implements Embedder {
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
    return embedEach(texts, signal, (text) =>
      isLongText(text) ? this.#embedLong(text) : this.#embedOne(text),
    );
  }

  #embedOne(text: string): Float32Array {
    const vector = new Float32Array(this.fingerprint.dimension);
    for (const [term, count] of countTerms(this.#analyze(text)))
      addHashedTerm(vector, term, 1 + Math.log(count));
    return vector;
  }

  async #embedLong(text: string): Promise<Float32Array> {
    const vector = new Float32Array(this.fingerprint.dimension);
    const breather = new Breather();
    for (const [term, count] of await countTermsGradually(text, this.#analyze, breather)) {
      addHashedTerm(vector, term, 1 + Math.log(count));
      await breather.breathe();
    }
    return vector;
  }
}
