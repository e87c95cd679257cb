import { hasCode, MnemisError } from '../errors/mnemis-error.ts';

/** LangChain embeddings that a memory works with threw; `cause` is what they threw. */
export class EmbeddingsFailedError extends MnemisError {
  static readonly code = 'embeddings-failed';
  static override readonly isInstance = hasCode<EmbeddingsFailedError>(EmbeddingsFailedError.code);

  constructor(model: string, cause: unknown) {
    super({
      code: EmbeddingsFailedError.code,
      message: `The embeddings ${model} failed, and nothing of this call was stored. The cause says why; remove it and try again.`,
      cause,
    });
  }
}
