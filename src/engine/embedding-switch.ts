import type { Embedder } from '../inference/embedder.ts';
import { SharedGate } from '../util/shared-gate.ts';

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
