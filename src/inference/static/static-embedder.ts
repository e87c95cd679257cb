import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import { countTerms, countTermsGradually, isLongText } from '../count-terms.ts';
import { embedEach } from '../embed-each.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { addHashedTerm } from '../hashing/hash-term.ts';
import { bundledModel, type StaticModel } from './static-model.ts';

/**
 * A word outside the vocabulary is a name, a typing error or slang: its spelling counts, but less than a rare
 * word whose meaning is known, because it meets others by chance.
 */
const UNKNOWN_WEIGHT = 0.55;

export interface StaticEmbedderOptions {
  /** Splits a text into index terms; the shipped model's words are those of `src/search/analyzer.ts`. */
  readonly analyze: (text: string) => readonly string[];
  readonly model: StaticModel;
}

/**
 * The weighted sum of word vectors, inverse-frequency weights and common directions removed when the model was
 * made (Arora, Liang and Ma 2017). English; plain typed arrays, no runtime, no download.
 */
export class StaticEmbedder implements Embedder {
  readonly fingerprint: EmbeddingFingerprint;
  readonly #analyze: (text: string) => readonly string[];
  readonly #model: StaticModel;

  constructor({ analyze, model }: StaticEmbedderOptions) {
    this.fingerprint = { model: model.name, dimension: model.dimension };
    this.#analyze = analyze;
    this.#model = model;
  }

  /** With the model that ships with the package. */
  static async load(analyze: StaticEmbedderOptions['analyze']): Promise<StaticEmbedder> {
    return new StaticEmbedder({ analyze, model: await bundledModel() });
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    return embedEach(texts, signal, (text) =>
      isLongText(text) ? this.#embedLong(text) : this.#embedOne(text),
    );
  }

  #embedOne(text: string): Float32Array {
    const vector = new Float32Array(this.#model.dimension);
    for (const [term, count] of countTerms(this.#analyze(text))) this.#addTerm(vector, term, count);
    return vector;
  }

  async #embedLong(text: string): Promise<Float32Array> {
    const vector = new Float32Array(this.#model.dimension);
    const breather = new Breather();
    for (const [term, count] of await countTermsGradually(text, this.#analyze, breather)) {
      this.#addTerm(vector, term, count);
      await breather.breathe();
    }
    return vector;
  }

  #addTerm(vector: Float32Array, term: string, count: number): void {
    const row = this.#model.rowOf.get(term);
    const weight = 1 + Math.log(count);
    if (row === undefined) addHashedTerm(vector, term, UNKNOWN_WEIGHT * weight);
    else this.#addRow(vector, row, weight);
  }

  #addRow(vector: Float32Array, row: number, weight: number): void {
    const { rows, factors, dimension } = this.#model;
    const factor = factors[row]! * weight;
    const start = row * dimension;
    for (let place = 0; place < dimension; place++) vector[place]! += factor * rows[start + place]!;
  }
}
