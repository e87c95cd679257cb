import { MnemisError } from './mnemis-error.ts';

/** The memory's vectors come from another embedder than the engine's. */
export class EmbeddingMismatchError extends MnemisError {
  static readonly code = 'embedding-mismatch';

  constructor(found: string, wanted: string) {
    super({
      code: EmbeddingMismatchError.code,
      message: `The memory was embedded with ${found}, the engine is set to ${wanted}; nothing was changed. Open it with ${found}, or move it with: mnemis reembed`,
    });
  }

  static override isInstance(value: unknown): value is EmbeddingMismatchError {
    return MnemisError.isInstance(value) && value.code === EmbeddingMismatchError.code;
  }
}
