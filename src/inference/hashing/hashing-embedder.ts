import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/embedding-fingerprint.ts';
import { breathe } from '../../util/breathe.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { addFeature } from './feature-hash.ts';

/** Weight of all character n-grams of a word beside the word itself. */
const GRAM_WEIGHT = 0.5;
const GRAM_SIZES = [3, 4, 5];
/** Some milliseconds of work, after which others get their turn (DESIGN §8.13). */
const TEXTS_PER_TURN = 128;

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

  constructor({ dimension = 256, analyze }: HashingEmbedderOptions) {
    if (!Number.isInteger(dimension) || dimension < 16 || dimension > 4096)
      throw new InvalidInputError(
        'The dimension of the hashing embedder must be a whole number from 16 to 4096',
      );
    this.fingerprint = { model: 'hashing-v1', dimension };
    this.#analyze = analyze;
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await breathe();
      if (signal?.aborted) throw new CancelledError('nothing of this call was stored', signal.reason);
      vectors.push(this.#embedOne(text));
    }
    return vectors;
  }

  #embedOne(text: string): Float32Array {
    const counts = new Map<string, number>();
    for (const term of this.#analyze(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
    const vector = new Float32Array(this.fingerprint.dimension);
    for (const [term, count] of counts) addTerm(vector, term, 1 + Math.log(count));
    return normalize(vector);
  }
}

function addTerm(vector: Float32Array, term: string, weight: number): void {
  addFeature(vector, `w:${term}`, weight);
  const grams = characterGrams(`^${term}$`);
  for (const gram of grams) addFeature(vector, `g:${gram}`, (GRAM_WEIGHT * weight) / Math.sqrt(grams.length));
}

function characterGrams(word: string): string[] {
  const grams: string[] = [];
  for (const size of GRAM_SIZES)
    if (size < word.length)
      for (let start = 0; start + size <= word.length; start++) grams.push(word.slice(start, start + size));
  return grams;
}

function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) {
    const scale = 1 / Math.sqrt(squares);
    for (let position = 0; position < vector.length; position++) vector[position]! *= scale;
  }
  return vector;
}
