import { MnemisError } from './mnemis-error.ts';

/** Prompt and reply do not fit into the model's context; the caller may split its input. */
export class ContextTooLongError extends MnemisError {
  static readonly code = 'context-too-long';

  constructor(model: string, contextTokens: number | null) {
    super({
      code: ContextTooLongError.code,
      message: `A prompt is longer than ${model} takes${contextTokens === null ? '' : ` (${contextTokens} tokens)`}. Nothing of this call was stored; give it less text, or set a larger context where the model has one.`,
    });
  }

  static override isInstance(value: unknown): value is ContextTooLongError {
    return MnemisError.isInstance(value) && value.code === ContextTooLongError.code;
  }
}
