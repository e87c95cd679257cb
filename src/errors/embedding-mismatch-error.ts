import { MnemisError } from './mnemis-error.ts';

/** How far a move to the wanted embedder has come. */
export interface UnfinishedMove {
  readonly done: number;
  readonly total: number;
}

/** The memory's vectors come from another embedder than the engine's. */
export class EmbeddingMismatchError extends MnemisError {
  static readonly code = 'embedding-mismatch';

  constructor(found: string, wanted: string, move: UnfinishedMove | null = null) {
    const begun =
      move === null
        ? ''
        : ` (it was begun: ${move.done} of ${move.total} texts are moved, and it goes on from there)`;
    super({
      code: EmbeddingMismatchError.code,
      message: `The memory was embedded with ${found}, the engine is set to ${wanted}; nothing was changed. Open it with ${found}, or move it with: mnemis reembed${begun}`,
    });
  }

  static override isInstance(value: unknown): value is EmbeddingMismatchError {
    return MnemisError.isInstance(value) && value.code === EmbeddingMismatchError.code;
  }
}
