import { InvalidInputError } from '../../errors/index.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { SharedGate } from '../../util/serial-queue.ts';
import type { Embedder } from '../embedder.ts';

/** The embedder of new rows, and whether searches may compare its vectors. */
export interface EmbeddingInUse {
  readonly embedder: Embedder;
  /** False while the memory's vectors come from another embedder: then searches use words only. */
  readonly comparesVectors: boolean;
}

/** The embedder of an engine. A move to another embedder replaces it while nothing else writes. */
export class EmbeddingSwitch {
  /** Writers and index loaders hold it shared, and read `current` only then. */
  readonly gate = new SharedGate();
  #current: EmbeddingInUse;

  constructor(current: EmbeddingInUse) {
    this.#current = current;
  }

  get current(): EmbeddingInUse {
    return this.#current;
  }

  /** Requires exclusive hold of the gate. */
  replace(embedder: Embedder): void {
    this.#current = { embedder, comparesVectors: true };
  }
}

/** Returns zero vectors, which searches treat as a question without features. */
export function wordsAlone(embedder: Embedder): Embedder {
  const { fingerprint, meaning = 'text' } = embedder;
  return {
    fingerprint,
    meaning,
    embed: async (texts) => texts.map(() => new Float32Array(fingerprint.dimension)),
  };
}

/** The fingerprint of a memory without vectors; never stored. */
const NO_VECTORS: EmbeddingFingerprint = { model: 'none', dimension: 1 };

/** The embedder of a memory that was opened without one; embedding rejects. */
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
