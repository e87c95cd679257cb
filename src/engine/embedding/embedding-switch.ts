import { InvalidInputError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import type { EmbeddingFingerprint } from '../../model/nodes.ts';
import { SharedGate } from '../../util/serial-queue.ts';

/** What new rows are embedded with, and whether searches may compare its vectors. */
export interface EmbeddingInUse {
  readonly embedder: Embedder;
  /** False while the memory's vectors come from another embedder: then searches go by words alone. */
  readonly comparesVectors: boolean;
}

/** The embedding of an engine. A move to another embedder replaces it while nothing else writes. */
export class EmbeddingSwitch {
  /** Whoever writes, or loads an index, holds it shared, and reads `current` only then. */
  readonly gate = new SharedGate();
  #current: EmbeddingInUse;

  constructor(current: EmbeddingInUse) {
    this.#current = current;
  }

  get current(): EmbeddingInUse {
    return this.#current;
  }

  /** For the holder of the gate alone. */
  replace(embedder: Embedder): void {
    this.#current = { embedder, comparesVectors: true };
  }
}

/** Asks nothing of vectors: all zero, which the searches take for a question without features. */
export function wordsAlone({ fingerprint }: Embedder): Embedder {
  return {
    fingerprint,
    embed: async (texts) => texts.map(() => new Float32Array(fingerprint.dimension)),
  };
}

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
