import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { Embedder, EmbedOptions } from '../../src/inference/embedder.ts';
import type { EmbeddingFingerprint } from '../../src/model/nodes.ts';
import { analyze } from '../../src/search/analyzer.ts';

/** Hashing under another name, that counts the passages it was given and may do something before it embeds them. */
export class CountingEmbedder implements Embedder {
  readonly meaning = 'words';
  readonly fingerprint: EmbeddingFingerprint;
  /** Every passage, in order. */
  readonly passages: string[] = [];
  /** Called before each call of `embed`, with its texts. */
  before: (texts: readonly string[], options: EmbedOptions) => Promise<void> | void = () => undefined;
  readonly #hashing: HashingEmbedder;

  constructor(model: string, dimension: number) {
    this.fingerprint = { model, dimension };
    this.#hashing = new HashingEmbedder({ analyze, dimension });
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    await this.before(texts, options);
    if (options.as === 'passage') this.passages.push(...texts);
    // So that two of one dimension give different vectors, and other cosines.
    const marked = texts.map((text) => `${text} ${this.fingerprint.model}`);
    return this.#hashing.embed(marked, options);
  }
}
