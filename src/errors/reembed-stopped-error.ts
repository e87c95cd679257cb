import { MnemisError } from './mnemis-error.ts';

/** The embedder that a memory was being moved to failed. */
export class ReembedStoppedError extends MnemisError {
  static readonly code = 'reembed-stopped';

  /** @param reason What the embedder did; never a text that it was given. */
  constructor(reason: string, kept: string, cause?: unknown) {
    super({
      code: ReembedStoppedError.code,
      message: `The move to another embedder stopped: ${reason}. ${kept}.`,
      cause,
    });
  }

  static override isInstance(value: unknown): value is ReembedStoppedError {
    return MnemisError.isInstance(value) && value.code === ReembedStoppedError.code;
  }
}
