import { MnemisError } from './mnemis-error.ts';

/** How far a move to the wanted embedder has come. */
export interface UnfinishedMove {
  readonly done: number;
  readonly total: number;
}

/** What opens an embedder by name: options of `openEmbedder`, and settings. */
export interface EmbedderSetting {
  readonly name: string;
  /** Left out where it is the embedder's own. */
  readonly dimension?: number;
}

/** What makes the advice of an EmbeddingMismatchError precise. */
export interface EmbeddingMismatchOptions {
  /** A move to the wanted embedder that was begun; null or left out where there is none. */
  readonly move?: UnfinishedMove | null;
  /** What the memory opens with; null where that is no embedder of this package. */
  readonly madeWith?: EmbedderSetting | null;
  /** What to do, for somebody who does not program. Default: for a programmer. */
  readonly advice?: string;
}

/** The memory's vectors come from another embedder than the engine's. */
export class EmbeddingMismatchError extends MnemisError {
  static readonly code = 'embedding-mismatch';
  /** The memory's embedder and its dimension, as `name@dimension`. */
  readonly found: string;
  /** The engine's. */
  readonly wanted: string;
  readonly move: UnfinishedMove | null;
  readonly madeWith: EmbedderSetting | null;

  constructor(found: string, wanted: string, options: EmbeddingMismatchOptions = {}) {
    const { move = null, madeWith = null, advice = adviceFor(madeWith) } = options;
    const begun =
      move === null
        ? ''
        : ` (it was begun: ${move.done} of ${move.total} texts are moved, and it goes on from there)`;
    super({
      code: EmbeddingMismatchError.code,
      message: `The memory was embedded with ${found}, the engine is set to ${wanted}; nothing was changed. ${advice}${begun}`,
    });
    this.found = found;
    this.wanted = wanted;
    this.move = move;
    this.madeWith = madeWith;
  }

  static override isInstance(value: unknown): value is EmbeddingMismatchError {
    return MnemisError.isInstance(value) && value.code === EmbeddingMismatchError.code;
  }
}

function adviceFor(madeWith: EmbedderSetting | null): string {
  return `Open it with ${describeEmbedder(madeWith)}, or with whenEmbedderDiffers: 'words-only' and move it with engine.reembed(); on the command line: mnemis reembed`;
}

function describeEmbedder(madeWith: EmbedderSetting | null): string {
  if (madeWith === null) return 'the embedder that it was made with';
  const { name, dimension } = madeWith;
  return `openEmbedder({ name: '${name}'${dimension === undefined ? '' : `, dimension: ${dimension}`} })`;
}
